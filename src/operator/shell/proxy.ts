import * as http from 'node:http';
import { SettingsError } from '../../config.ts';

/** These names mean this machine and never go through a proxy. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]';

/**
 * Sends requests through the proxies of `HTTPS_PROXY` and `HTTP_PROXY`, except to hosts in `NO_PROXY`. Throws
 * `SettingsError` if one is not a URL.
 */
export function honourProxy(environment: Readonly<Record<string, string | undefined>>): void {
  if (proxyOf(environment, 'https:') === undefined && proxyOf(environment, 'http:') === undefined) return;
  for (const protocol of ['http:', 'https:'] as const)
    if (!URL.canParse(proxyOf(environment, protocol) ?? 'http://none'))
      throw new SettingsError([
        `${protocol === 'http:' ? 'HTTP' : 'HTTPS'}_PROXY: a value that cannot be used, wanted a URL`,
      ]);
  const others = environment.no_proxy || environment.NO_PROXY;
  const noProxy = others ? `${others},${LOOPBACK}` : LOOPBACK;
  // Node has this from 24.14 on; before that, NODE_USE_ENV_PROXY=1 does the same.
  http.setGlobalProxyFromEnv?.({ ...environment, no_proxy: noProxy, NO_PROXY: noProxy });
}

/** The proxy for URLs with this protocol. */
export function proxyOf(
  environment: Readonly<Record<string, string | undefined>>,
  protocol: string,
): string | undefined {
  const { https_proxy, HTTPS_PROXY, http_proxy, HTTP_PROXY } = environment;
  return (protocol === 'https:' ? https_proxy || HTTPS_PROXY : http_proxy || HTTP_PROXY) || undefined;
}
