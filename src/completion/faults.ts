import type { Code } from '../kernel/errors.ts';
import type { Adaptation, Form } from './dialect.ts';
import { exceedsRate, smallerLimit } from './output-limit.ts';
import type { ServerFault } from './server-fault.ts';

/** A fault of a server, as docs/model-servers.md has it. */
export interface Fault {
  /** What is wrong, in a few words. */
  readonly name: string;
  readonly code: Code;
  /** What would have helped, for the operator. */
  readonly wanted: string;
  /** What of the question can be said otherwise, once. */
  readonly adapts?: Adaptation;
}

/** What was sent, as far as a refusal may be about it. */
export interface Sent {
  form: Form;
  /** A guess at the tokens of the prompt. */
  promptTokens: number;
}

/** A fault that a server tells by itself, and how it is known. */
interface ToldFault extends Fault {
  matches(told: Told, sent: Sent): boolean;
}

/** What a server says, put together for the rules. */
interface Told {
  fault: ServerFault;
  status: number | undefined;
  names: string;
  /** All of it. */
  said: string;
}

/**
 * Statuses that servers refuse the form of a question with. Some refuse with 500 what a template of theirs cannot take.
 */
const FORM: ReadonlySet<number | undefined> = new Set([undefined, 400, 404, 413, 415, 422, 500, 501]);

const REFUSES =
  /\bnot\b.{0,30}\b(?:support|enabl|allow|permit|accept|avail)|(?:does not|doesn't|do not|cannot|can't) |unsupported|un(?:known|expected|recogni[sz]ed)|invalid|extra|forbidden|only|must|disabl|disallow|refus|verified|deprecated/i;
const FILTERS =
  /content[_ ]?filter|content_policy|content management policy|ResponsibleAI|data_inspection|moderation|flagged|prohibited_content|(?:inappropriate|sensitive|unsafe|harmful) content|content.{0,20}(?:violat|risk|exists risk)|usage polic|blocked.{0,40}safety|safety.{0,20}(?:system|filter|check|violation)/i;
const CREDIT =
  /insufficient[_ ](?:quota|credits?|balance|funds|user_quota)|(?:credit|account) balance|exceeded your current quota|billing|payment[_ ]required|out of credits|no credits|arrearage|overdue|not enough (?:credits?|balance)/i;
const RETRIES = /(?:re)?try (?:again )?(?:in|after)|per (?:minute|day|hour|second)|retryDelay|\bRPM\b|\bTPM\b/i;
const KEY =
  /(?:invalid|incorrect|missing|wrong|expired|no)[_ ](?:api[_ ]?key|auth(?:entication|orization)?|token|credentials)\b|api[_ -]?key.{0,30}(?:invalid|not valid|incorrect|missing|required|expired|not found)|unauthori[sz]ed|unauthenticated|authentication_error|auth(?:entication|orization)? (?:credentials|failed|required)|permission_?denied|login fail/i;
const MODEL =
  /model_?(?:not_?found|decommissioned|not_?available|unavailable)|(?:unknown|invalid|unsupported|no such|not a valid)[_ ]model|\bmodel\b.{0,120}(?:not found|(?:does not|doesn't|not) exist|decommissioned|no longer|not loaded|is not available|not a valid)|model \S{1,100} (?:is )?not supported|not a valid model|no endpoints found|no available channel|no healthy deployment/i;
const PATH =
  /(?:unexpected|unknown|no such|invalid|unsupported) (?:endpoint|route|path|url)\b|(?:endpoint|route|path|url) (?:was )?not found|cannot post \//i;
const LENGTH =
  /too (?:large|long|big|high|many)|at most|less than|maximum|exceed|<=|≤|valid range|range of|reduce|n_ctx|context[_ ]length|\d ?> ?\d/i;
const OF_LENGTH =
  /\btokens?\b|max_?(?:completion_|new_|output_)?tokens|context[_ ](?:length|size|window|limit)|n_ctx|(?:prompt|input|messages?).{0,60}too (?:long|large)|too (?:long|large).{0,40}(?:prompt|input)/i;
const FORMAT = /response.?format|json.?schema|json.?mode|structured|guided|grammar/i;
const LIMIT = /max_?(?:completion_|new_|output_)?tokens/i;
const RATE = /rate.?limit|too[_ ]many[_ ]requests|resource_?exhausted|overloaded|throttl|concurrency|429/i;

const inForm = ({ status }: Told) => FORM.has(status);
const limitOf = ({ form }: Sent) => form.limit?.tokens ?? 0;

/** Whether a smaller limit of output may be taken. */
function fits({ fault }: Told, { form, promptTokens }: Sent): boolean {
  return form.limit !== null && smallerLimit(fault, { limit: form.limit.tokens, prompt: promptTokens }) !== null;
}

/** Whether a refusal speaks of the prompt's length or the output's, and not of a name. */
function isOfLength({ status, said, names }: Told): boolean {
  return status === 413 || /context_|exceed_/i.test(names) || (LENGTH.test(said) && OF_LENGTH.test(said));
}

const KEY_WANTED = 'a key that is accepted (OPENAI_API_KEY)';
const CREDIT_WANTED = 'an account with credit';
const SHORTER =
  'a prompt and an answer that the model can hold (PROTOSMITH_MAX_OUTPUT_TOKENS, or a model with a longer context)';
const NO_API_WANTED = 'a server that speaks the Chat Completions API (OPENAI_BASE_URL, which often ends in /v1)';
const FORM_WANTED = 'a request that is accepted';

/** Every fault that a server tells by status, number, type or words; the first that matches is the one. */
export const toldFaults: readonly ToldFault[] = [
  {
    name: 'no script fits (the scripted model of demo and tests)',
    code: 'OPERATOR_NO_SCRIPT',
    wanted:
      'a prompt that a script fits; for any other job set OPENAI_API_KEY or OPENAI_BASE_URL, and PROTOSMITH_MODEL, to use a real model',
    matches: ({ names }) => /\bno_script\b/.test(names),
  },
  {
    name: 'a filter keeps the answer back',
    code: 'PLATFORM_MODEL_FILTERED',
    wanted: 'an answer',
    matches: ({ said }) =>
      FILTERS.test(said) &&
      /\b(?:output|response|answer|completion|generated)\b/i.test(said) &&
      !/prompt|input/i.test(said),
  },
  {
    name: 'a filter refuses the prompt',
    code: 'PLATFORM_MODEL_PROMPT_FILTERED',
    wanted: 'a server whose content rules let the agreement pass',
    matches: (told) => (inForm(told) || told.status === 403 || told.status === 451) && FILTERS.test(told.said),
  },
  {
    name: 'credit for fewer tokens than the limit of output',
    code: 'OPERATOR_MODEL_QUOTA',
    wanted: CREDIT_WANTED,
    adapts: 'limit',
    matches: (told, sent) => /can only afford/i.test(told.said) && fits(told, sent),
  },
  {
    name: 'no credit, or a quota used up',
    code: 'OPERATOR_MODEL_QUOTA',
    wanted: CREDIT_WANTED,
    matches: ({ status, said }) => status === 402 || (CREDIT.test(said) && (status !== 429 || !RETRIES.test(said))),
  },
  {
    name: 'prompt and limit of output take more than the rate allows',
    code: 'PLATFORM_MODEL_PROMPT_TOO_LONG',
    wanted: SHORTER,
    adapts: 'limit',
    matches: (told, sent) => isBeyondRate(told, sent) && fits(told, sent),
  },
  {
    name: 'the prompt takes more than the rate allows',
    code: 'PLATFORM_MODEL_PROMPT_TOO_LONG',
    wanted: SHORTER,
    matches: isBeyondRate,
  },
  {
    name: '`stream_options` refused',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'usage',
    matches: (told, { form }) => form.usage && inForm(told) && /stream_options|include_usage/i.test(told.said),
  },
  {
    name: '`response_format` refused, or its schema',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'format',
    matches: (told, { form }) => form.format && inForm(told) && isOfFormat(told),
  },
  {
    name: 'a limit of output that the model or its context does not hold',
    code: 'PLATFORM_MODEL_PROMPT_TOO_LONG',
    wanted: SHORTER,
    adapts: 'limit',
    matches: (told, sent) => inForm(told) && isOfLength(told) && !isRenamed(told) && fits(told, sent),
  },
  {
    name: '`max_tokens` or `max_completion_tokens` refused',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'limit-name',
    matches: (told, { form }) =>
      form.limit !== null && inForm(told) && LIMIT.test(told.said) && (isRenamed(told) || !isOfLength(told)),
  },
  {
    name: 'the prompt is longer than the model can hold',
    code: 'PLATFORM_MODEL_PROMPT_TOO_LONG',
    wanted: SHORTER,
    matches: (told) => told.status === 413 || (inForm(told) && isOfLength(told)),
  },
  {
    name: 'the system role refused',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'system',
    matches: (told, { form }) => form.system === 'own' && inForm(told) && isOfSystemRole(told),
  },
  {
    name: '`stream` refused',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'stream',
    matches: (told, { form }) => form.stream && inForm(told) && isOfStream(told),
  },
  {
    name: 'the key is refused',
    code: 'OPERATOR_MODEL_AUTH',
    wanted: KEY_WANTED,
    matches: (told) =>
      (!told.fault.isPage && (told.status === 401 || told.status === 403)) ||
      told.status === 407 ||
      (inForm(told) && KEY.test(told.said)),
  },
  {
    name: 'a rate is passed',
    code: 'PLATFORM_MODEL_RATE_LIMITED',
    wanted: 'to be served',
    matches: ({ status, said }) => status === 429 || ((status === undefined || status === 400) && RATE.test(said)),
  },
  {
    name: 'the model is unknown',
    code: 'OPERATOR_MODEL_UNKNOWN',
    wanted: 'a model that the server knows (PROTOSMITH_MODEL)',
    matches: (told) => !told.fault.isPage && inForm(told) && MODEL.test(told.said),
  },
  {
    name: 'the path is unknown',
    code: 'OPERATOR_MODEL_UNKNOWN',
    wanted: 'a model and path that exist (PROTOSMITH_MODEL, OPENAI_BASE_URL)',
    adapts: 'path',
    matches: (told) => [404, 405, 410].includes(told.status ?? 0) || (inForm(told) && PATH.test(told.said)),
  },
  {
    name: 'a page, or a redirect, in place of an answer',
    code: 'PLATFORM_MODEL_NOT_AN_API',
    wanted: NO_API_WANTED,
    matches: ({ fault, status = 0 }) => (fault.isPage && status < 500) || (status >= 300 && status < 400),
  },
  {
    name: 'the server is busy, restarts or fails',
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    wanted: 'an answer',
    matches: ({ status = 0 }) => status >= 500 || [408, 409, 423, 425].includes(status),
  },
  {
    name: 'anything else of the question is refused, as a parameter that is unknown here',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    matches: ({ status, names }) =>
      status !== undefined ||
      /invalid_?(?:request|argument|parameter)|bad_?request|validation|unprocessable/i.test(names),
  },
  {
    name: 'a fault within an answer that says nothing of its kind',
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    wanted: 'an answer',
    matches: () => true,
  },
];

/**
 * What a refusal comes to where no other form is left: of whichever member it speaks, the same question would be
 * refused again.
 */
export function lastFaultOf(fault: ServerFault, { form, promptTokens }: Sent): Fault {
  const limit = form.limit ?? { name: 'max_tokens' as const, tokens: 1 };
  const whole: Form = { ...form, system: 'own', stream: true, usage: true, format: true, limit };
  return faultOf(fault, { form: whole, promptTokens });
}

/** What a refusal means. */
export function faultOf(fault: ServerFault, sent: Sent): Fault {
  const { status, names, place, words } = fault;
  const told: Told = { fault, status, names, said: `${names} ${place} ${words}` };
  return toldFaults.find(({ matches }) => matches(told, sent)) ?? (toldFaults.at(-1) as Fault);
}

/** Faults of an answer that came, or did not come, without a word of the server about it. */
export const answerFaults = {
  unreachable: {
    name: 'the server cannot be reached, or the connection breaks before an answer',
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    wanted: 'an answer',
  },
  silent: { name: 'silence', code: 'PLATFORM_MODEL_STALLED', wanted: 'a stream that goes on' },
  cut: { name: 'the answer breaks off', code: 'PLATFORM_MODEL_CUT', wanted: 'a whole answer' },
  noApi: {
    name: 'status 200 with a page, or with neither JSON nor events',
    code: 'PLATFORM_MODEL_NOT_AN_API',
    wanted: 'a completion',
  },
  noAnswer: {
    name: 'status 200 with JSON that is neither an answer nor a fault',
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    wanted: 'a completion',
  },
  toolCall: {
    name: 'a tool call in place of text, though no tool was offered',
    code: 'PLATFORM_MODEL_EMPTY',
    wanted: 'an answer in text',
  },
  empty: { name: 'an answer without text', code: 'PLATFORM_MODEL_EMPTY', wanted: 'an answer' },
  tooLong: { name: 'the limit of output is reached', code: 'PLATFORM_MODEL_LENGTH', wanted: 'an answer that fits' },
  withheld: { name: 'the model or a filter ends the answer', code: 'PLATFORM_MODEL_FILTERED', wanted: 'an answer' },
} as const satisfies Record<string, Fault>;

function isBeyondRate({ fault, status, said }: Told, sent: Sent): boolean {
  return (
    (status === 413 || status === 429 || FORM.has(status)) &&
    /request too large|per min|\bTPM\b/i.test(said) &&
    exceedsRate(fault, limitOf(sent))
  );
}

/** Whether another name is wanted for the limit, as against another limit. */
function isRenamed({ said }: Told): boolean {
  return (
    LIMIT.test(said) &&
    /use ['"`]?max_|unsupported[_ ]parameter|unrecogni[sz]ed|extra_forbidden|extra (?:inputs|fields)|unexpected/i.test(
      said,
    )
  );
}

function isOfFormat(told: Told): boolean {
  if (FORMAT.test(told.fault.place) || /response_format/i.test(told.said)) return true;
  // A server may call a prompt structured that is too long.
  return FORMAT.test(told.said) && !isOfLength(told);
}

function isOfSystemRole({ fault: { place }, said }: Told): boolean {
  if (/roles must alternate|only user and assistant|first message.{0,40}user/i.test(said)) return true;
  if (/^(?:body\.)?messages\W*0\W*role/.test(place)) return true;
  const named =
    /\b(?:system|developer)\b.{0,30}\b(?:roles?|messages?|prompts?|instructions?)\b|\b(?:roles?|messages?|prompts?)\b.{0,60}\b(?:system|developer)\b/i;
  return named.test(said) && REFUSES.test(said);
}

function isOfStream({ fault: { place }, status = 0, said }: Told): boolean {
  if (status >= 500 && status !== 501) return false;
  return /^(?:body\.)?stream$/.test(place) || (/\bstream(?:ing)?\b/i.test(said) && REFUSES.test(said));
}
