/** Where OpenAI's own models are. */
export const OPENAI_ENDPOINT = 'https://api.openai.com/v1';

/** Paths that stand behind a base URL, and are copied along with it. */
const PATH_OF_QUESTIONS = /(?:\/(?:chat\/completions|chat|completions|models))+\/?$/;

/** A base URL as it was meant: no blanks around it, no doubled slash, no path of one question. Its query stays. */
export function tidyEndpoint(given: string): string {
  const trimmed = given.trim();
  if (!URL.canParse(trimmed)) return trimmed;
  const url = new URL(trimmed);
  url.hash = '';
  url.pathname = url.pathname
    .replaceAll(/\/{2,}/g, '/')
    .replace(PATH_OF_QUESTIONS, '')
    .replace(/\/$/, '');
  return url.pathname === '/' && url.search === '' ? url.href.replace(/\/$/, '') : url.href;
}

/** The path that servers of the API mostly have, and that is mostly left out. */
export const VERSION_PATH = '/v1';

/** Whether the path of a base URL names a version of the API. */
export function namesVersion(endpoint: string): boolean {
  return /\/v\d/.test(new URL(endpoint).pathname);
}

/** A base URL with the path of a version behind it. */
export function withVersion(endpoint: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${VERSION_PATH}`;
  return url.href;
}

/** The URL of the list of models behind a base URL, before its query. */
export function modelsUrl(endpoint: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`;
  return url.href;
}

/** The headers that carry a key. Azure's paths with an API version want it under a name of their own. */
export function keyHeaders(endpoint: string, apiKey: string | null | undefined): Record<string, string> {
  // Some local servers want a key, whichever.
  if (!apiKey) return { authorization: 'Bearer no-key-needed' };
  const isAzure = new URL(endpoint).searchParams.has('api-version');
  return { authorization: `Bearer ${apiKey}`, ...(isAzure ? { 'api-key': apiKey } : {}) };
}

/** The host of an endpoint: what else stands in a URL may be secret. */
export function hostOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host : 'the model server';
}
