import { describe, expect, it } from 'vitest'
import { addressGuard } from './ssrf-guard.ts'

const production = addressGuard({ allow: [] })
const sandbox = addressGuard({ allowsLocal: true, allow: [] })
const everything = [
  { cidr: '0.0.0.0/0', port: 443 },
  { cidr: '::/0', port: 443 },
]
const generous = addressGuard({ allow: everything })

const BLOCKED = 'The URL leads to an address that must not be called.'

const publicAddresses = [
  ...['1.1.1.1', '93.184.216.34', '172.32.0.1'],
  ...['2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::101:101'],
]

const loopback = [
  '127.0.0.1',
  '127.255.255.254',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '64:ff9b::7f00:1',
]

const privateAddresses = [
  ...[
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
  ],
  ...[
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
  ],
  ...[
    '255.255.255.255',
    '::ffff:10.0.0.1',
    '::FFFF:0A00:0001',
    '64:ff9b::10.0.0.1',
    '100::1',
    '2001:2::1',
  ],
  ...['2001:db8::1', '3fff::1', '5f00::1', 'fc00::1', 'fd12:3456::1', 'fec0::1', 'ff02::1'],
]

const forbidden = [
  ...['169.254.169.254', '169.254.0.1', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
  ...[
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::168.63.129.16',
    'fe80::1',
    'fd00:ec2::254',
  ],
  ...['fd20:ce::254', '::', '::127.0.0.1', '::169.254.169.254', '::ffff:0:169.254.169.254'],
  ...['64:ff9b:1::a9fe:a9fe', '2001:0:a9fe:a9fe::1', '2002:a9fe:a9fe::1'],
]

describe('the address guard', () => {
  it.each(publicAddresses)('allows %s in both modes', (address) => {
    expect(production.isAllowed(address, 443)).toBe(true)
    expect(sandbox.isAllowed(address, 80)).toBe(true)
  })

  it.each(loopback)('allows the loopback address %s only in the sandbox', (address) => {
    expect(production.isAllowed(address, 443)).toBe(false)
    expect(sandbox.isAllowed(address, 443)).toBe(true)
  })

  it.each(privateAddresses)('allows %s only if it is on the allowlist', (address) => {
    expect(production.isAllowed(address, 443)).toBe(false)
    expect(sandbox.isAllowed(address, 443)).toBe(false)
    expect(generous.isAllowed(address, 443)).toBe(true)
  })

  it.each(forbidden)('never allows %s', (address) => {
    expect(production.isAllowed(address, 443)).toBe(false)
    expect(sandbox.isAllowed(address, 443)).toBe(false)
    expect(generous.isAllowed(address, 443)).toBe(false)
    expect(addressGuard({ allowsLocal: true, allow: everything }).isAllowed(address, 443)).toBe(
      false,
    )
  })

  it.each([
    '',
    'localhost',
    '1.1.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    'fe80::1%eth0',
    '2606:4700::1111%1',
    '::1%lo',
  ])('does not accept %j as an address', (text) => {
    expect(sandbox.isAllowed(text, 443)).toBe(false)
  })

  it('allows a network only on its own port, in every notation of its addresses', () => {
    const guard = addressGuard({
      allow: [
        { cidr: '10.1.0.0/16', port: 8443 },
        { cidr: 'fd12::/16', port: 443 },
      ],
    })
    expect(guard.isAllowed('10.1.2.3', 8443)).toBe(true)
    expect(guard.isAllowed('::ffff:10.1.2.3', 8443)).toBe(true)
    expect(guard.isAllowed('10.1.2.3', 443)).toBe(false)
    expect(guard.isAllowed('10.2.0.1', 8443)).toBe(false)
    expect(guard.isAllowed('fd12::1', 443)).toBe(true)
    expect(guard.isAllowed('fd13::1', 443)).toBe(false)
  })

  it('does not treat an IPv4 address as part of an allowed IPv6 network', () => {
    const guard = addressGuard({ allow: [{ cidr: '::/0', port: 443 }] })
    expect(guard.isAllowed('10.0.0.1', 443)).toBe(false)
    expect(guard.isAllowed('::ffff:10.0.0.1', 443)).toBe(false)
  })
})

describe('the address guard, of a URL', () => {
  it.each([
    'https://shop.example/events?shop=1',
    'https://shop.example:8443',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]',
  ])('allows %s', (url) => {
    expect(production.checkUrl(url)).toBeNull()
  })

  it.each([
    ...['https://127.0.0.1', 'https://127.1', 'https://0x7f.1', 'https://2130706433'],
    ...['https://0177.0.0.1', 'https://127.0.0.1.'],
    ...[
      'https://%31%32%37.0.0.1',
      'https://１２７.0.0.1',
      'https://127。0。0。1',
      'https://①②⑦.0.0.1',
    ],
    ...['https://[::1]', 'https://[::ffff:7f00:1]', 'https://[::ffff:127.0.0.1]'],
    ...['https://[64:ff9b::127.0.0.1]', 'https://localhost', 'https://localhost.'],
    ...['https://shop.localhost'],
  ])('recognizes %s as the loopback address', (url) => {
    expect(production.checkUrl(url)).toBe(BLOCKED)
    expect(sandbox.checkUrl(url)).toBeNull()
  })

  it.each([
    ...[
      'https://0/',
      'https://10.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://0xa9fea9fe/',
    ],
    ...[
      'https://2852039166/',
      'https://[::ffff:a9fe:a9fe]/',
      'https://[2002:a9fe:a9fe::]/',
      'https://[fe80::1]/',
    ],
    ...['https://[fd00:ec2::254]/', 'https://168.63.129.16/'],
  ])('rejects %s in both modes', (url) => {
    expect(production.checkUrl(url)).toBe(BLOCKED)
    expect(sandbox.checkUrl(url)).toBe(BLOCKED)
  })

  it.each([
    '',
    '/events',
    'shop.example',
    'https://',
    'https://256.1.1.1',
    'https://[fe80::1%25eth0]',
    'https://[::1',
    'https:///plazo/ipn',
    'http:/host/path',
    'https:host',
    'https:\\\\host',
    'https://host\\path',
    'https://ho\tst',
    ' https:///plazo',
    'https://shop.example:0/ipn',
    'https://shop..example',
    'https://shop.example..',
    `https://${'a'.repeat(64)}.example`,
    `https://${'a.'.repeat(130)}example`,
  ])('rejects %j because it is not a URL', (url) => {
    expect(sandbox.checkUrl(url)).toBe('The URL is invalid.')
  })

  it('rejects every scheme except https in production, and except http and https in the sandbox', () => {
    expect(production.checkUrl('http://shop.example')).toBe('The URL must begin with https://.')
    expect(sandbox.checkUrl('http://shop.example')).toBeNull()
    expect(sandbox.checkUrl('file:///etc/passwd')).toBe(
      'The URL must begin with https:// or http://.',
    )
    expect(sandbox.checkUrl('gopher://127.0.0.1')).toBe(
      'The URL must begin with https:// or http://.',
    )
  })

  it.each([
    'https://user@shop.example',
    'https://user:password@shop.example',
    'https://:password@shop.example',
  ])('rejects the credentials in %s', (url) => {
    expect(sandbox.checkUrl(url)).toBe('The URL must not contain a username or password.')
  })

  it('checks the allowed port, or the scheme’s default port', () => {
    const guard = addressGuard({ allow: [{ cidr: '10.0.0.0/8', port: 443 }] })
    expect(guard.checkUrl('https://10.0.0.1')).toBeNull()
    expect(guard.checkUrl('https://10.0.0.1:443')).toBeNull()
    expect(guard.checkUrl('https://10.0.0.1:8443')).toBe(BLOCKED)
  })
})
