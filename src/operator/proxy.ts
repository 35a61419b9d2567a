import * as http from 'node:http';
import { SettingsError } from '../config.ts';

/** Reached without a proxy, whatever the environment says: what is named so is this machine. */
const OWN = 'localhost,127.0.0.1,[::1]';

/**
 * Has requests to model servers take the proxy that `HTTPS_PROXY` and `HTTP_PROXY` name, but for the hosts of
 * `NO_PROXY`.
 */
export function honourProxy(environment: Readonly<Record<string, string | undefined>>): void {
  if (proxyOf(environment, 'https:') === undefined && proxyOf(environment, 'http:') === undefined) return;
  for (const protocol of ['http:', 'https:'] as const)
    if (!URL.canParse(proxyOf(environment, protocol) ?? 'http://none'))
      throw new SettingsError([
        `${protocol === 'http:' ? 'HTTP' : 'HTTPS'}_PROXY: a value that cannot be used, wanted a URL`,
      ]);
  const others = environment.no_proxy || environment.NO_PROXY;
  const noProxy = others ? `${others},${OWN}` : OWN;
  // Node 24 has it from 24.14 on; before, NODE_USE_ENV_PROXY=1 does the same.
  http.setGlobalProxyFromEnv?.({ ...environment, no_proxy: noProxy, NO_PROXY: noProxy });
}

/** The proxy that a URL with this protocol goes through. */
export function proxyOf(
  environment: Readonly<Record<string, string | undefined>>,
  protocol: string,
): string | undefined {
  const { https_proxy, HTTPS_PROXY, http_proxy, HTTP_PROXY } = environment;
  return (protocol === 'https:' ? https_proxy || HTTPS_PROXY : http_proxy || HTTP_PROXY) || undefined;
}
