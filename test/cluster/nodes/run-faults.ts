// Finds errors of the server in its log. An unreachable database, and giving up on a merchant, are expected.
const EXPECTED = ['"alert":"exhausted"', 'the database does not answer']

export const errorsIn = (printed: string): readonly string[] =>
  printed
    .split('\n')
    .filter((line) => /"level":(50|60)|^\S*Error/.test(line) && !EXPECTED.some((text) => line.includes(text)))
