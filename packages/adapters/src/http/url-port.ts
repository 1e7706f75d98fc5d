// The port that a URL leads to. If the URL names none, it is the default port of the scheme.
export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
