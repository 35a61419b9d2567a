import { QueueError } from './queue-error.ts';

/** The parts of a Redis URL. Users and passwords are empty if it has none. */
export interface RedisAddress {
  form: 'single' | 'sentinel' | 'cluster';
  tls: boolean;
  hosts: { host: string; port: number }[];
  username: string;
  password: string;
  /** Empty unless the form is `sentinel`. */
  masterName: string;
  db: number;
  /** Login and TLS of the Sentinels. */
  sentinel: { username: string; password: string; tls: boolean };
  /** Paths of PEM files: who signed the server's certificate, and the client's own certificate with its key. */
  tlsFiles: TlsFiles;
}

/** Paths of PEM files for TLS; the client's certificate and its key come together. */
export type TlsFiles = Partial<Record<'tlsCa' | 'tlsCert' | 'tlsKey', string>>;

const tlsFileNames = ['tlsCa', 'tlsCert', 'tlsKey'] as const;

/** Parses a Redis URL. Throws `OPERATOR_REDIS_URL_INVALID`, which names the wrong part without quoting it. */
export function readRedisUrl(url: string): RedisAddress {
  // A secret of a file often ends with a line break.
  const [, scheme, kind, rest = ''] = /^(rediss?|valkeys?)(?:\+(sentinel|cluster))?:\/\/(.*)$/is.exec(url.trim()) ?? [];
  if (scheme === undefined) throw wrong('scheme', 'another', 'redis, rediss, redis+sentinel or redis+cluster');
  const form = formOf(kind?.toLowerCase());
  const tls = /s$/i.test(scheme) && !/^redis$/i.test(scheme);
  // Only the login may contain an unescaped @, so it ends at the last one.
  const loginEnd = rest.lastIndexOf('@');
  const login = readLogin(rest.slice(0, Math.max(0, loginEnd)));
  const [, hostList = '', path = '', query = '', fragment] =
    /^([^/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?(#.*)?$/s.exec(rest.slice(loginEnd + 1)) ?? [];
  if (fragment !== undefined) throw wrong('end', 'a part that begins with #', 'none');
  const [masterName = '', database = ''] = form === 'sentinel' ? partedOnce(path, '/') : ['', path];
  if (form === 'sentinel' && masterName === '')
    throw wrong('path', 'no name of a master', 'redis+sentinel://host,host/master-name');
  const options = readOptions(query, form);
  const sentinel = readSentinel(options, form, { ...login, tls });
  return {
    form,
    tls,
    hosts: readHosts(hostList, form),
    ...login,
    masterName: decoded(masterName, 'path'),
    db: readDatabase(database, form),
    sentinel,
    tlsFiles: readTlsFiles(options, tls || sentinel.tls),
  };
}

function readLogin(login: string): { username: string; password: string } {
  const [username = '', password = ''] = partedOnce(login, ':');
  return { username: decoded(username, 'user'), password: decoded(password, 'password') };
}

function formOf(kind: string | undefined): RedisAddress['form'] {
  return kind === 'sentinel' || kind === 'cluster' ? kind : 'single';
}

function readHosts(list: string, form: RedisAddress['form']): RedisAddress['hosts'] {
  const entries = list.split(',').map((entry) => entry.trim());
  if (entries.length > 1 && form === 'single')
    throw wrong('host', 'several', 'one, or redis+sentinel:// or redis+cluster:// with several');
  if (entries.length > 1 && entries.includes('')) throw wrong('host', 'an empty one in the list', 'host,host');
  return entries.map((entry) => readHost(entry, form === 'sentinel' ? 26_379 : 6_379));
}

function readHost(entry: string, defaultPort: number): { host: string; port: number } {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]%<>]*)(?::(\d{0,5}))?$/.exec(entry);
  if (match === null) throw wrong('host', 'another form', 'host, host:port or [address]:port');
  const [, host = '', port = ''] = match;
  const number = port === '' ? defaultPort : Number(port);
  if (number > 65_535 || number === 0) throw wrong('port', 'a number out of range', 'one from 1 to 65535');
  return { host: host === '' ? '127.0.0.1' : host.replace(/^\[|\]$/g, ''), port: number };
}

function readDatabase(database: string, form: RedisAddress['form']): number {
  if (!/^\d{0,9}$/.test(database)) throw wrong('database', 'no number', 'a whole number, as in redis://host:port/0');
  if (form === 'cluster' && Number(database) > 0)
    throw wrong('database', 'one other than 0', 'none: a cluster has no other');
  return Number(database);
}

/**
 * Sentinels with a login mostly use the servers' default user (as charts set it up). Another user usually exists on the
 * servers only.
 */
function readSentinel(
  given: ReadonlyMap<string, string>,
  form: RedisAddress['form'],
  { username, password, tls }: { username: string; password: string; tls: boolean },
): RedisAddress['sentinel'] {
  if (form !== 'sentinel') return { username: '', password: '', tls: false };
  const ownTls = given.get('sentinelTls') ?? (tls ? '1' : '0');
  if (!/^[01]$/.test(ownTls)) throw wrong('sentinelTls', 'another value', '1 or 0');
  const isShared = !given.has('sentinelUsername') && (username === '' || username === 'default');
  return {
    username: given.get('sentinelUsername') ?? (isShared ? username : ''),
    password: given.get('sentinelPassword') ?? (isShared ? password : ''),
    tls: ownTls === '1',
  };
}

function readOptions(query: string, form: RedisAddress['form']): Map<string, string> {
  const ofSentinels = form === 'sentinel' ? ['sentinelUsername', 'sentinelPassword', 'sentinelTls'] : [];
  const known: readonly string[] = [...ofSentinels, ...tlsFileNames];
  return new Map(
    (query === '' ? [] : query.split('&')).map((pair) => {
      const [name = '', value = ''] = partedOnce(pair, '=');
      if (!known.includes(name)) throw wrong('query', 'an option that is not known', `${known.join(', ')}, or none`);
      return [name, name.startsWith('tls') ? decodedPath(value, name) : decoded(value, name)];
    }),
  );
}

function readTlsFiles(given: ReadonlyMap<string, string>, usesTls: boolean): TlsFiles {
  const files: TlsFiles = {};
  for (const name of tlsFileNames) {
    const path = given.get(name);
    if (path === '') throw wrong(name, 'nothing', 'the path of a PEM file');
    if (path !== undefined) files[name] = path;
  }
  if (Object.keys(files).length > 0 && !usesTls) throw wrong('query', 'files for TLS without TLS', 'rediss://');
  if ((files.tlsCert === undefined) !== (files.tlsKey === undefined))
    throw wrong('query', 'one of tlsCert and tlsKey', 'both');
  return files;
}

function partedOnce(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** A path may contain slashes as they are. */
function decodedPath(text: string, part: string): string {
  return decoded(text.replaceAll('/', '%2F'), part);
}

function decoded(text: string, part: string): string {
  if (/[/?#@\s]/.test(text))
    throw wrong(
      part,
      'a character that separates parts of a URL',
      '%23 for #, %2F for /, %3F for ?, %40 for @, %20 for a space',
    );
  if (/%(?![0-9a-fA-F]{2})/.test(text)) throw wrong(part, '% without two hex digits', '%25 for %');
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong(part, 'bytes that are not UTF-8', 'UTF-8 after each %');
  }
}

// The URL may contain a password, so nothing of it is quoted.
function wrong(part: string, found: string, wanted: string): QueueError {
  return new QueueError(
    'OPERATOR_REDIS_URL_INVALID',
    `Cannot read ${part} of Redis URL: found ${found}, wanted ${wanted}`,
  );
}
