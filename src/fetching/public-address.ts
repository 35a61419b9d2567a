import { BlockList, isIP } from 'node:net';

/** The special-purpose blocks of IPv4 (IANA registry, RFC 6890), multicast and the reserved rest. */
const SPECIAL_4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];

/** The special-purpose blocks inside 2000::/3, which holds all addresses of IPv6 that are public. */
const SPECIAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const special = new BlockList();
for (const [blocks, family] of [
  [SPECIAL_4, 'ipv4'],
  [SPECIAL_6, 'ipv6'],
] as const)
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/');
    special.addSubnet(network, Number(prefix), family);
  }

const unicast = new BlockList();
unicast.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether an address belongs to a host on the public internet. Private, loopback, link-local, shared, multicast,
 * documentation, translated and mapped addresses do not, nor does a text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  // IPv6 addresses that contain an IPv4 address (mapped, translated, tunnelled) are outside 2000::/3 or special blocks.
  if (family === 6) return !address.includes('%') && unicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
  return family === 4 && !special.check(address, 'ipv4');
}
