// A script that imports a style sheet gets its text: see bundle.ts.
declare module '*.css' {
  const text: string
  export default text
}
