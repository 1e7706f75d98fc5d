import { describe, expect, it } from 'vitest'
import { parseWebhookAllow } from './address-ranges.ts'

describe('WEBHOOK_ALLOW', () => {
  it.each([
    ['', []],
    [' ', []],
    ['10.0.0.0/8:8080', [{ cidr: '10.0.0.0/8', port: 8080 }]],
    ['[fd12::/16]:443', [{ cidr: 'fd12::/16', port: 443 }]],
    [
      '10.0.0.0/8:8080, [FD12::/16]:443',
      [
        { cidr: '10.0.0.0/8', port: 8080 },
        { cidr: 'FD12::/16', port: 443 },
      ],
    ],
    ['192.168.1.7:80', [{ cidr: '192.168.1.7/32', port: 80 }]],
    ['[::1]:3000', [{ cidr: '::1/128', port: 3000 }]],
    ['0.0.0.0/0:65535', [{ cidr: '0.0.0.0/0', port: 65535 }]],
  ])('reads %j', (setting, networks) => {
    expect(parseWebhookAllow(setting)).toEqual(networks)
  })

  it.each([
    ...[
      'internal',
      '10.0.0.0/8',
      '10.0.0.0/8:',
      '10.0.0.0/8:0',
      '10.0.0.0/8:65536',
      '10.0.0.0/8:http',
    ],
    ...[
      '10.0.0.0/33:80',
      '10.0.0/8:80',
      '010.0.0.0/8:80',
      'fd12::1:80',
      'fd12::/129:80',
      'fd12::/:80',
    ],
    ...[
      '[fd12::/16]/16:80',
      '[fd12::]/16:80',
      'fd12::/16:443',
      '[fd12::]/:80',
      'fd12::/1/6:80',
      '[fd12::/129]:80',
      '[fe80::1%eth0/64]:80',
    ],
    ...['[10.0.0.0/8]:80', '[::1]'],
    '',
  ])('rejects %j', (entry) => {
    expect(parseWebhookAllow(`127.0.0.1:80,${entry}`)).toBeUndefined()
  })
})
