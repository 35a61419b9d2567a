/** OpenAI's own base URL. */
export const OPENAI_ENDPOINT = 'https://api.openai.com/v1';

/** Paths of single requests that people copy along with the base URL. */
const PATH_OF_QUESTIONS =
  /\/api\/(?:chat|generate|tags)\/?$|(?:\/(?:chat\/completions|chat|completions|models|responses|messages|embeddings))+\/?$/;

/** Cleans up a base URL: no white space around it, no double slash, no path of a single request. Its query stays. */
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

/** The API version path that most servers have, and that is often left out. */
export const VERSION_PATH = '/v1';

/** Whether the path of a base URL contains an API version. */
export function namesVersion(endpoint: string): boolean {
  return /\/v\d/.test(new URL(endpoint).pathname);
}

/** Adds `/v1` to the path of a base URL. */
export function withVersion(endpoint: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}${VERSION_PATH}`;
  return url.href;
}

/** The URL of the model list of a base URL. */
export function modelsUrl(endpoint: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/models`;
  return url.href;
}

/** The headers that carry the API key. Azure, known by `api-version` in the query, also wants `api-key`. */
export function keyHeaders(endpoint: string, apiKey: string | null | undefined): Record<string, string> {
  // Some local servers require a key, but accept any.
  if (!apiKey) return { authorization: 'Bearer no-key-needed' };
  const isAzure = new URL(endpoint).searchParams.has('api-version');
  return { authorization: `Bearer ${apiKey}`, ...(isAzure ? { 'api-key': apiKey } : {}) };
}

/** An endpoint as operators see it: without its query, which may contain a key. */
export function shownEndpoint(endpoint: string): string {
  return endpoint.replace(/\?\S*/, '');
}

/** The host of an endpoint, for messages: the rest of the URL may be secret. */
export function hostOf(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).host : 'the model server';
}
