import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRedisUrl } from '../../queues/redis/redis-url.ts';
import { redactUrl } from '../../src/config.ts';

test('a URL tells the server, the login and the database', () => {
  const plain = { form: 'single', tls: false, username: '', password: '', masterName: '', db: 0 };
  const unasked = { username: '', password: '', tls: false };
  const here = [{ host: '127.0.0.1', port: 6_379 }];
  assert.deepEqual(readRedisUrl('redis://'), { ...plain, hosts: here, sentinel: unasked, tlsFiles: {} });
  const { sentinel: _, ...login } = readRedisUrl('rediss://app:p%23%2F%3F%40%25%3A+x:y@[::1]:7000/12');
  assert.deepEqual(login, {
    ...{ ...plain, tls: true, db: 12 },
    ...{ username: 'app', password: 'p#/?@%:+x:y', hosts: [{ host: '::1', port: 7_000 }] },
    tlsFiles: {},
  });
  const cluster = readRedisUrl('redis+cluster://a,b:7001');
  assert.deepEqual(cluster.hosts, [
    { host: 'a', port: 6_379 },
    { host: 'b', port: 7_001 },
  ]);
  const group = readRedisUrl('redis+sentinel://a,b:7001/main/3');
  assert.deepEqual([group.masterName, group.db, group.hosts[0]?.port], ['main', 3, 26_379]);
});

test('a URL is read as it was meant', () => {
  for (const [given, meant] of [
    [' redis://host:7000/2\n', 'redis://host:7000/2'],
    ['REDIS://host', 'redis://host'],
    ['valkey://host', 'redis://host'],
    ['valkeys+cluster://a,b', 'rediss+cluster://a,b'],
    ['redis://host:/1', 'redis://host/1'],
    ['redis+cluster://a:1, b:2', 'redis+cluster://a:1,b:2'],
    ['redis://:$PASS=a[b]\\"€@host', 'redis://:%24PASS%3Da%5Bb%5D%5C%22%E2%82%AC@host'],
  ] as const)
    assert.deepEqual(readRedisUrl(given), readRedisUrl(meant), given);
});

test('Sentinels have a login and TLS of their own, or those of the default user and of the scheme', () => {
  const asked = (url: string) => readRedisUrl(url).sentinel;
  assert.deepEqual(asked('rediss+sentinel://:pw@a/main'), { username: '', password: 'pw', tls: true });
  assert.deepEqual(asked('redis+sentinel://default:pw@a/main'), { username: 'default', password: 'pw', tls: false });
  assert.deepEqual(asked('redis+sentinel://app:pw@a/main'), { username: '', password: '', tls: false });
  const own = 'redis+sentinel://app:pw@a/main?sentinelUsername=watch&sentinelPassword=p%26+%40&sentinelTls=1';
  assert.deepEqual(asked(own), { username: 'watch', password: 'p&+@', tls: true });
  assert.deepEqual(asked('rediss+sentinel://:pw@a/main?sentinelPassword=&sentinelTls=0'), {
    ...{ username: '', password: '', tls: false },
  });
});

test('a URL names the files for TLS, of servers and Sentinels', () => {
  const files = 'tlsCa=/etc/r/ca%20.pem&tlsCert=c.pem&tlsKey=k.pem';
  const read = { tlsCa: '/etc/r/ca .pem', tlsCert: 'c.pem', tlsKey: 'k.pem' };
  assert.deepEqual(readRedisUrl(`rediss://host?${files}`).tlsFiles, read);
  assert.deepEqual(readRedisUrl(`redis+sentinel://a/main?${files}&sentinelTls=1`).tlsFiles, read);
  assert.deepEqual(readRedisUrl('rediss+cluster://a?tlsCa=ca.pem').tlsFiles, { tlsCa: 'ca.pem' });
});

test('of a URL that cannot be read the wrong part is named, and no word of it is said', () => {
  for (const [part, url] of [
    ...['#', '/', '?', '@', '#/?', ' '].flatMap((mark) =>
      ['redis://:SEC%RET@host:6379/0', 'redis://app:SEC%RET@host', 'rediss+sentinel://app:SEC%RET@a,b/main'].map(
        (form) => ['password', form.replace('%', mark)] as const,
      ),
    ),
    ['password', 'redis://app:12#SECRET@host'],
    ['password', 'redis://app:SECRET%zz@host'],
    ['password', 'redis://app:SECRET%@host'],
    ['password', 'redis://app:SECRET%ff@host'],
    ['user', 'redis://SEC/RET:pw@host'],
    ['sentinelPassword', 'redis+sentinel://a/main?sentinelPassword=SECRET%'],
    ['sentinelTls', 'redis+sentinel://a/main?sentinelTls=SECRET'],
    ['query', 'redis+sentinel://a/main?password=SECRET'],
    ['query', 'redis://host?SECRET'],
    ['query', 'redis://host?tlsCa=SECRET'],
    ['query', 'rediss://host?tlsCert=SECRET'],
    ['tlsCa', 'rediss://host?tlsCa='],
    ['end', 'redis://host/0#SECRET'],
    ['host', 'redis://:SECRET'],
    ['port', 'redis://host:99999'],
    ['port', 'redis://host:0'],
    ['host', 'redis://SECRET:1,b:2'],
    ['host', 'redis+cluster://SECRET,,b'],
    ['host', 'redis+sentinel://SECRET,/main'],
    ['host', 'redis://<SECRET>:6379'],
    ['scheme', 'redis+unix:///tmp/SECRET.sock'],
    ['scheme', '"redis://SECRET"'],
    ['query', 'redis://host?db=2'],
    ['database', 'redis://host//1'],
    ['database', 'redis://host/SECRET'],
    ['database', 'redis://host/0x7'],
    ['database', 'redis://host/1/SECRET'],
    ['database', 'redis+cluster://host/1'],
    ['path', 'redis+sentinel://host'],
    ['scheme', 'http://SECRET'],
  ] as const) {
    assert.throws(
      () => readRedisUrl(url),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'OPERATOR_REDIS_URL_INVALID', url);
        assert.match(error.message, new RegExp(`^Cannot read ${part} of Redis URL: found .*, wanted `), url);
        assert.doesNotMatch(error.message, /SEC|RET/, url);
        return true;
      },
    );
  }
});

test('a URL is shown without login and options, however its marks are written', () => {
  for (const login of ['app:12#SEC', 'app:SEC/x', 'app:SEC?x', 'app:1/SEC@x', ':SEC', 'app:12?x=SEC'])
    for (const [given, shown] of [
      [`redis://${login}@host:6379/0`, 'redis://host:6379/0'],
      [`redis+sentinel://${login}@a,b/main?sentinelPassword=SEC`, 'redis+sentinel://a,b/main'],
    ] as const)
      assert.equal(redactUrl(given), shown);
  assert.equal(redactUrl('https://host/v1?key=SEC#SEC'), 'https://host/v1');
  assert.equal(redactUrl('https://host/@vendor/v1'), 'https://host/@vendor/v1');
  assert.doesNotMatch(redactUrl('http://user:SEC/x@host'), /SEC/);
  assert.doesNotMatch(redactUrl('http://user:12#SEC@host'), /SEC/);
});
