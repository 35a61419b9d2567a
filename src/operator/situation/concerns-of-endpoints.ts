import { counted, span } from '../shell/print.ts';
import { byCount, type Concern, ranked, waitOf, worrying } from './concern.ts';
import type { EndpointView, Situation } from './situation.ts';

const limited = 'PLATFORM_MODEL_RATE_LIMITED';
const stalled = 'PLATFORM_MODEL_STALLED';

const modelRemedies: Record<string, string> = {
  OPERATOR_MODEL_AUTH: 'restore the key at the provider, or restart the workers with another OPENAI_API_KEY',
  OPERATOR_MODEL_QUOTA: 'top up the account, or restart the workers with another key',
  OPERATOR_MODEL_UNKNOWN: 'correct PROTOSMITH_MODEL or OPENAI_BASE_URL, and restart the workers',
  [limited]: 'lower PROTOSMITH_CONCURRENCY, get a higher limit, or name a second model in PROTOSMITH_MODELS',
};

/** What mends faults with these codes: first what is wrong now, then what was in the last minutes. */
function remedyOf(codes: readonly string[]): string {
  const remedies = new Set(codes.map((code) => modelRemedies[code] ?? 'check the model server and the network'));
  return `${[...remedies].slice(0, 3).join('; or ')}; \`protosmith doctor\` asks it a question`;
}

/** Silence that needs attention, in milliseconds. */
const longSilenceMs = 25_000;

/**
 * Whether an endpoint answers nobody: calls have been silent for long, and they are the first ones, or others
 * failed, or there are several and no other call was answered meanwhile. A model that thinks for long answers
 * others.
 */
function isMute({ tries, failed, silent, quietMs }: EndpointView): boolean {
  if (silent === null || silent.longestMs < longSilenceMs) return false;
  const isQuiet = (quietMs ?? longSilenceMs) >= longSilenceMs;
  return failed > 0 || tries === 0 || (isQuiet && silent.calls >= worrying.least);
}

/** What is wrong with the model endpoints. */
export function ofEndpoints({ endpoints, backlog }: Situation): Concern[] {
  const isHeld = ({ state }: EndpointView) => state === 'refused' || state === 'failing';
  const cost = endpoints.every(isHeld)
    ? `no job is taken; ${counted(backlog.open, 'open job')} ${waitOf(backlog.open)}, and ${backlog.open === 1 ? 'ends with error at its' : 'end with error at their'} deadline`
    : 'questions go to the other endpoints, and jobs take longer';
  return endpoints.flatMap((one): Concern[] => {
    const { endpoint, state, fault, sinceMs, codes, failed, tries, silent, restMs } = one;
    const since = sinceMs === null ? '' : ` since ${new Date(sinceMs).toISOString()}`;
    const why = fault === null ? '' : `, first ${fault.code}: ${fault.message}`;
    // Heartbeats are some seconds older than the state of the circuit.
    const isCounted = tries > 0 && (failed > 0 || !isHeld(one));
    const counts = !isCounted
      ? ''
      : `; ${failed} of ${counted(tries, 'call')} in five minutes failed${failed > 0 ? `: ${ranked(codes)}` : ''}`;
    if (state === 'refused') {
      const cause = `model endpoint ${endpoint} refuses us${since}: ${fault?.code}: ${fault?.message}${counts}`;
      const remedy = `${modelRemedies[fault?.code ?? ''] ?? 'see the message'}; it is probed every 20 s, and jobs resume on their own`;
      return [{ code: 'endpoint-refused', cause, cost, remedy }];
    }
    const failures = byCount(codes).map(([code]) => code);
    if (state === 'failing')
      return [
        {
          code: 'endpoint-failing',
          cause: `model endpoint ${endpoint} keeps failing${since}${why}${counts}`,
          cost,
          remedy: remedyOf(fault === null ? failures : [fault.code, ...failures]),
        },
      ];
    const isSilent = isMute(one);
    const isFailing = failed >= worrying.least && failed > worrying.share * tries;
    const isResting = (restMs ?? 0) > 1_000;
    if (!isSilent && !isFailing && !isResting) return [];
    const rest = isResting ? `; it is rate limited and gets no calls for another ${span((restMs ?? 0) / 1_000)}` : '';
    const silence =
      silent === null ? '' : `; ${counted(silent.calls, 'call')} silent for up to ${span(silent.longestMs / 1_000)}`;
    return [
      {
        code: 'endpoint-failing',
        cause: `model endpoint ${endpoint} ${isFailing ? 'fails' : isSilent ? 'is silent' : 'holds jobs up'}${counts}${silence}${rest}`,
        cost: 'jobs wait for answers, and end with error if none comes before their deadline',
        remedy: remedyOf([...(silent === null ? [] : [stalled]), ...(isResting ? [limited] : []), ...failures]),
      },
    ];
  });
}
