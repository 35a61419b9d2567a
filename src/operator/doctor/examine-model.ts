import { boundedFetch } from '../../completion/bounded-fetch.ts';
import { CompletionError, passesNever } from '../../completion/completion-error.ts';
import { ADAPTATIONS, type Learnt } from '../../completion/dialect.ts';
import { keyHeaders, modelsUrl, OPENAI_ENDPOINT, tidyEndpoint, withVersion } from '../../completion/endpoint.ts';
import { networkCause } from '../../completion/model-failure.ts';
import { createOpenAiCompleter } from '../../completion/openai-completer.ts';
import { askSmall } from '../../completion/probe.ts';
import { type modelsOf, redactUrl } from '../../config.ts';
import { describeError } from '../../telemetry/log.ts';
import { proxyOf } from '../shell/proxy.ts';

/** The result of checking one model. */
export interface ModelFound {
  state: 'well' | 'warning' | 'ill';
  says: string;
  details: Record<string, unknown>;
}

const listWithinMs = 5_000;
/** A reasoning model takes time even for one word. */
const answerWithinMs = 30_000;

/** Failures that do not speak against the settings: the server is there and may answer later. */
const passing = /_(?:RATE_LIMITED|TIMEOUT|STALLED|LENGTH|CUT|EMPTY)$/;

/** Checks whether a model answers one small question, asked as a worker asks, and which adaptations that takes. */
export async function examineModel(
  { model, baseUrl, apiKey }: ReturnType<typeof modelsOf>[number],
  maxTokens: number,
): Promise<ModelFound> {
  const endpoint = tidyEndpoint(baseUrl ?? OPENAI_ENDPOINT);
  const proxy = proxyOf(process.env, new URL(endpoint).protocol);
  const details: Record<string, unknown> = {
    endpoint: redactUrl(endpoint),
    model,
    key: apiKey === null ? 'not set' : 'set',
    ...(proxy === undefined ? {} : { proxy: redactUrl(proxy) }),
  };
  let listed: string[] | undefined;
  try {
    listed = await modelsAt(endpoint, apiKey);
  } catch (error) {
    // Not the message of `fetch`, which repeats the URL and so perhaps a key.
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    const found = timedOut ? `no answer within ${listWithinMs} ms` : networkCause(error);
    return { state: 'ill', says: `the server cannot be reached: ${found}`, details };
  }
  if (model === null) {
    const says = `the server is reachable, but no model is named: set PROTOSMITH_MODEL${few(listed)}`;
    return { state: 'warning', says, details };
  }
  return ask({ endpoint, model, apiKey, maxTokens, listed }, details);
}

interface Asked {
  endpoint: string;
  model: string;
  apiKey: string | null;
  maxTokens: number;
  listed: string[] | undefined;
}

async function ask(
  { endpoint, model, apiKey, maxTokens, listed }: Asked,
  details: Record<string, unknown>,
): Promise<ModelFound> {
  const learnt: Learnt[] = [];
  const completer = createOpenAiCompleter({
    model,
    generator: 'live',
    baseUrl: endpoint,
    apiKey: apiKey ?? undefined,
    maxTokens,
    adapted: (change) => void learnt.push(change.learnt),
  });
  const otherwise = () => (learnt.length === 0 ? '' : `; adapted: ${learnt.map((one) => ADAPTATIONS[one]).join('; ')}`);
  try {
    await askSmall(completer, answerWithinMs);
    const wanted = learnt.includes('path') ? { 'endpoint to set': redactUrl(withVersion(endpoint)) } : {};
    return {
      state: learnt.length === 0 ? 'well' : 'warning',
      says: `the model answers${otherwise()}`,
      details: { ...details, ...wanted },
    };
  } catch (error) {
    const { code, message } = describeError(error);
    if (code === 'OPERATOR_NO_SCRIPT') return { state: 'well', says: 'the scripted model answers', details };
    const isUnknown =
      code === 'OPERATOR_MODEL_UNKNOWN' && listed !== undefined && !listed.some((id) => isNameOf(id, model));
    return {
      state:
        error instanceof CompletionError && !passesNever(error.code) && passing.test(error.code) ? 'warning' : 'ill',
      says: `${code}: ${message}${isUnknown ? few(listed) : ''}${otherwise()}`,
      details,
    };
  }
}

/** The models that a server lists; `undefined` if it has no list. */
async function modelsAt(endpoint: string, apiKey: string | null): Promise<string[] | undefined> {
  // As in a worker, redirects are not followed.
  const response = await boundedFetch(modelsUrl(endpoint), {
    headers: keyHeaders(endpoint, apiKey),
    signal: AbortSignal.timeout(listWithinMs),
  });
  const { data } = Object(await response.json().catch(() => undefined)) as { data?: unknown };
  return response.ok && Array.isArray(data) ? data.map((one) => String(Object(one).id)) : undefined;
}

function few(listed: readonly string[] | undefined): string {
  if (listed === undefined || listed.length === 0) return '';
  const shown = listed.slice(0, 5).map((id) => id.slice(0, 60));
  return `; it lists ${shown.join(', ')}${listed.length > shown.length ? ` and ${listed.length - shown.length} more` : ''}`;
}

/** Some servers list a name with a folder before it, or with an optional tag. */
function isNameOf(id: string, model: string): boolean {
  return id === model || id.endsWith(`/${model}`) || id === `${model}:latest`;
}
