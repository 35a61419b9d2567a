import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { SourceFetcher } from '../../src/contract/ports.ts';
import { fetchLimits } from '../../src/fetching/fetch-source.ts';
import { isPublicAddress } from '../../src/fetching/public-address.ts';
import { createSourceFetcher } from '../../src/fetching/source-fetcher.ts';
import { type HttpsServer, startHttps } from './https-server.ts';

const live = new AbortController().signal;

let server: HttpsServer;

before(async () => {
  server = await startHttps((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'https://protocols.example');
    const long = 'x'.repeat(fetchLimits.bytes);
    switch (pathname) {
      case '/text':
        return response.end('\ufeffA protocol: ü.\r\n');
      case '/longest':
        return response.end(long);
      case '/longer':
        return response.end(`${long}x`);
      case '/endless': {
        const more = (): void => {
          if (!response.destroyed) response.write(long, () => setImmediate(more));
        };
        return more();
      }
      case '/moved':
        return response.writeHead(302, { location: '/text' }).end();
      case '/bytes':
        return response.end(Buffer.from([0xff, 0xfe, 0x41]));
      case '/gzip':
        return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('A text'));
      case '/cut':
        response.writeHead(200, { 'content-length': '100' });
        response.write('half');
        return setImmediate(() => response.destroy());
      case '/heads':
        return response.writeHead(200, { 'x-long': 'h'.repeat(fetchLimits.headerBytes) }).end();
      case '/busy':
        return response.writeHead(503).end();
      case '/silent':
        return undefined;
      default:
        return response.writeHead(404).end();
    }
  });
});

after(() => server.close());

async function told(uri: string, fetcher: SourceFetcher = server.fetcher()): Promise<string> {
  const fetched = await fetcher.fetch(uri, live);
  return fetched.ok
    ? `text of ${fetched.text.length}`
    : `${fetched.isRefused ? 'refused' : 'failed'}: ${fetched.message}`;
}

test('a text of an allowed host is fetched exactly, byte order mark and line ends included', async () => {
  assert.deepEqual(await server.fetcher().fetch(server.uri('/text?a=1#part'), live), {
    ok: true,
    text: '\ufeffA protocol: ü.\r\n',
  });
  assert.equal(server.asked.at(-1), `GET protocols.example:${server.port} /text?a=1`);
  assert.equal(await told(server.uri('/longest')), `text of ${fetchLimits.bytes}`);
});

test('what is no text of that size is refused, and a server that fails is told as that', async () => {
  for (const path of ['/longer', '/endless'])
    assert.match(await told(server.uri(path)), /^refused: found a longer text/);
  assert.match(await told(server.uri('/bytes')), /^refused: found bytes that are not UTF-8/);
  assert.match(await told(server.uri('/gzip')), /^refused: found content encoding `gzip`/);
  assert.match(await told(server.uri('/none')), /^refused: found status 404/);
  assert.match(await told(server.uri('/busy')), /^failed: found status 503/);
  assert.match(await told(server.uri('/cut')), /^failed: found connection fault ECONNRESET/);
  assert.match(await told(server.uri('/heads')), /^failed: found connection fault HPE_HEADER_OVERFLOW/);
});

test('a redirect is not followed', async () => {
  const before = server.asked.length;
  assert.match(await told(server.uri('/moved')), /^refused: found a redirect \(status 302\)/);
  assert.equal(server.asked.length, before + 1);
});

test('only https to a host of the list, by its name and port, without a login', async () => {
  const before = server.connections;
  const { port } = server;
  const addresses = ['127.0.0.1', '[::1]', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', '１２７.0.0.1'];
  for (const uri of [
    `http://protocols.example:${port}/text`,
    `ftp://protocols.example:${port}/text`,
    'file:///etc/passwd',
    'data:text/plain,hello',
    'not a URL',
    `https://user:word@protocols.example:${port}/text`,
    `https://other.example:${port}/text`,
    `https://protocols.example.:${port}/text`,
    `https://protocols.example.evil.example:${port}/text`,
    'https://protocols.example/text',
    `https://protocols.example:${port}/${'x'.repeat(fetchLimits.uriChars)}`,
    ...addresses.map((address) => `https://${address}:${port}/text`),
  ])
    assert.match(await told(uri), /^refused: /, uri);
  // An address is no name, even where the list of a caller has it.
  for (const host of ['127.0.0.1', '[::1]'])
    assert.match(await told(`https://${host}:${port}/text`, server.fetcher({}, [`${host}:${port}`])), /^refused: /);
  assert.equal(server.connections, before);
});

test('a name with any address that is not allowed is not connected to', async () => {
  const before = server.connections;
  for (const address of ['10.0.0.1', '169.254.169.254', '::1', 'fe80::1', '::ffff:127.0.0.1']) {
    const resolve = async () => [
      { address: '127.0.0.1', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ];
    assert.match(await told(server.uri('/text'), server.fetcher({ resolve })), /^refused: found address /, address);
  }
  assert.match(await told(server.uri('/text'), server.fetcher({ resolve: async () => [] })), /^failed: /);
  const nobody = async () => {
    throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
  };
  assert.match(
    await told(server.uri('/text'), server.fetcher({ resolve: nobody })),
    /^failed: found connection fault ENOTFOUND/,
  );
  assert.equal(server.connections, before);
});

test('the address of the connection itself is checked, before anything is sent', async () => {
  const before = server.asked.length;
  // Allowed when it was resolved, and no longer when it is connected to.
  let looks = 0;
  const isAllowed = () => {
    looks += 1;
    return looks === 1;
  };
  assert.match(await told(server.uri('/text'), server.fetcher({ isAllowed })), /^refused: found address `127.0.0.1`/);
  assert.deepEqual([looks, server.asked.length], [2, before]);
});

test('a certificate that is not trusted, or of another name, is a failure', async () => {
  assert.match(
    await told(server.uri('/text'), server.fetcher({ ca: '' })),
    /^failed: found connection fault DEPTH_ZERO_SELF_SIGNED_CERT/,
  );
  const uri = `https://stranger.example:${server.port}/text`;
  const fetcher = server.fetcher({}, [`stranger.example:${server.port}`]);
  assert.match(await told(uri, fetcher), /^failed: found connection fault ERR_TLS_CERT_ALTNAME_INVALID/);
});

test('a silent server ends with the time limit, and an aborted job with its reason', async () => {
  assert.deepEqual(await server.fetcher().fetch(server.uri('/silent'), live, 50), {
    ok: false,
    isRefused: false,
    message: 'found no answer in time, wanted a text',
  });
  const job = new AbortController();
  const fetching = server.fetcher().fetch(server.uri('/silent'), job.signal);
  await sleep(20);
  job.abort(new Error('the worker stops'));
  await assert.rejects(fetching, /the worker stops/);
});

test('only addresses of the public internet are public', () => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '192.0.1.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
  ])
    assert.equal(isPublicAddress(address), true, address);
  for (const address of [
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.255.255',
      '169.254.169.254',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...[
      '192.0.0.1',
      '192.0.2.1',
      '192.88.99.1',
      '192.168.0.1',
      '198.18.0.1',
      '198.19.255.255',
      '198.51.100.1',
      '203.0.113.1',
    ],
    ...['224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::ffff:8.8.8.8',
      '::ffff:127.0.0.1',
      '::7f00:1',
      '64:ff9b::7f00:1',
      '64:ff9b:1::1',
      '100::1',
      'fc00::1',
    ],
    ...[
      'fd12:3456::1',
      'fe80::1',
      'fe80::1%eth0',
      'fec0::1',
      'ff02::1',
      '2001::1',
      '2001:db8::1',
      '2002:7f00:1::',
      '3fff::1',
    ],
    ...['', 'localhost', '127.1', '0x7f000001', '8.8.8.8:53', '[::1]'],
  ])
    assert.equal(isPublicAddress(address), false, address);
});

test('the fetcher of a worker is the one on public addresses, and nothing in the sources makes another', async () => {
  const fetcher = createSourceFetcher([`localhost:${server.port}`, `protocols.example:${server.port}`]);
  const before = server.connections;
  assert.match(await told(`https://localhost:${server.port}/text`, fetcher), /^refused: found address /);
  assert.equal(server.connections, before);
  const root = join(import.meta.dirname, '../..');
  const users = globSync('{src,queues,sandbox,bin,scripts}/**/*.{ts,mjs}', { cwd: root }).filter((file) =>
    /\bfetcherOn\b/.test(readFileSync(join(root, file), 'utf8')),
  );
  assert.deepEqual(users.sort(), ['src/fetching/fetch-source.ts', 'src/fetching/source-fetcher.ts']);
});
