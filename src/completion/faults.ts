import type { Code } from '../kernel/errors.ts';
import type { Adaptation, Form } from './dialect.ts';
import { exceedsRate, smallerLimit } from './output-limit.ts';
import type { ServerFault } from './server-fault.ts';

/** A kind of server fault, one row of docs/model-servers.md. */
export interface Fault {
  readonly name: string;
  readonly code: Code;
  /** What was expected, for the error message. */
  readonly wanted: string;
  /** The part of the request to change, once. */
  readonly adapts?: Adaptation;
}

/** The parts of a request that a refusal may be about. */
export interface Sent {
  form: Form;
  /** Estimated tokens of the prompt. */
  promptTokens: number;
}

/** A fault that a server reports, and how to recognise it. */
interface ReportedFault extends Fault {
  matches(report: Report, sent: Sent): boolean;
}

/** A server's error report, prepared for the rules. */
interface Report {
  fault: ServerFault;
  status: number | undefined;
  names: string;
  /** Names, place and words together. */
  said: string;
}

/** Statuses with which servers refuse the form of a request. Some send 500 when their chat template fails. */
const FORM: ReadonlySet<number | undefined> = new Set([undefined, 400, 404, 413, 415, 422, 500, 501]);

const REFUSES =
  /\bnot\b.{0,30}\b(?:support|implement|enabl|allow|permit|accept|avail)|(?:does not|doesn't|do not|cannot|can't) |unsupported|un(?:known|expected|recogni[sz]ed)|invalid|extra|forbidden|only|must|disabl|disallow|refus|verified|deprecated/i;
const FILTERS =
  /content[_ ]?filter|content_policy|content management policy|ResponsibleAI|data_inspection|moderation|flagged|prohibited_content|(?:inappropriate|sensitive|unsafe|harmful) content|content.{0,20}(?:violat|risk|exists risk)|usage polic|blocked.{0,40}safety|safety.{0,20}(?:system|filter|check|violation)/i;
const CREDIT =
  /insufficient[_ ](?:quota|credits?|balance|funds|user_quota)|(?:credit|account) balance|exceeded your current quota|billing|payment[_ ]required|out of credits|(?:no|any|enough|available) credits?\b|arrearage|overdue|not enough balance|budget(?: has been |_| )exceeded|key limit exceeded|(?:specified|monthly|weekly) .{0,10}usage limit|free ?tier.{0,40}exhausted|FreeTierOnly|余额不足|额度不足|欠费/i;
const RETRIES = /(?:re)?try (?:again )?(?:in|after)|per (?:minute|day|hour|second)|retryDelay|\bRPM\b|\bTPM\b/i;
const KEY =
  /(?:invalid|incorrect|missing|wrong|expired|no)[_ ](?:api[_ ]?key|auth(?:entication|orization)?|token|credentials)\b|api[_ -]?key.{0,30}(?:invalid|not valid|incorrect|missing|required|expired|not found)|unauthori[sz]ed|unauthenticated|authentication_error|auth(?:entication|orization)? (?:credentials|failed|required)|permission_?denied|login fail|(?:pass|provide) an? (?:valid )?api key|(?:account|organi[sz]ation|project) .{0,20}(?:restricted|suspended|disabled|deactivated)/i;
const MODEL =
  /(?:model|deployment)_?(?:not_?found|decommissioned|not_?available|unavailable|terms)|(?:unknown|invalid|unsupported|no such|not a valid)[_ ]model|\bmodels?\b.{0,120}(?:not found|(?:does not|doesn't|not) exist|decommissioned|no longer|not loaded|is not available|not a valid|identifier is invalid)|model \S{1,100} (?:is )?not supported|not a valid model|no models? (?:is |are )?loaded|work with the specified model|on-demand throughput|support the \S{1,60} API|no endpoints found|no available channel|no healthy deployment|模型不存在/i;
const PATH =
  /(?:unexpected|unknown|no such|invalid|unsupported) (?:endpoint|route|path|url)\b|(?:endpoint|route|path|url) (?:was )?not found|cannot post \//i;
const LENGTH =
  /too (?:large|long|big|high|many)|longer than|at most|less than|maximum|exceed|<=|≤|\brange\b|reduce|n_ctx|context[_ ]length|\d ?> ?\d/i;
const OF_LENGTH =
  /\btokens?\b|max_?(?:completion_|new_|output_?)?tokens|(?:prompt|input) length|context[_ ](?:length|size|window|limit)|n_ctx|(?:prompt|input|messages?).{0,60}(?:too (?:long|large)|longer than)|too (?:long|large).{0,40}(?:prompt|input)/i;
const FORMAT =
  /response.?(?:format|schema)|json.?(?:schema|mode|validate)|structured|guided|grammar|required for format|specified schema|requested parameters/i;
const LIMIT = /max_?(?:completion_|new_|output_?)?tokens/i;
const RATE =
  /rate.?limit|too[_ ]many[_ ]requests|resource_?exhausted|overloaded|throttl|concurrency|capacity.?exceeded|429/i;
const UNLOADED = /\bmodel\b.{0,20}(?:crashed|unloaded)|failed to load (?:the )?model/i;

const inForm = ({ status }: Report) => FORM.has(status);
const limitOf = ({ form }: Sent) => form.limit?.tokens ?? 0;

/** Whether a smaller output limit can be tried. */
function fits({ fault }: Report, { form, promptTokens }: Sent): boolean {
  return form.limit !== null && smallerLimit(fault, { limit: form.limit.tokens, prompt: promptTokens }) !== null;
}

/** Whether a refusal is about the length of prompt or output, not about a parameter name. */
function isOfLength({ status, said, names }: Report): boolean {
  return status === 413 || /context_|exceed_/i.test(names) || (LENGTH.test(said) && OF_LENGTH.test(said));
}

const KEY_WANTED = 'a key that is accepted (OPENAI_API_KEY)';
const CREDIT_WANTED = 'an account with credit';
const SHORTER =
  'a prompt and an answer that fit the context (PROTOSMITH_MAX_OUTPUT_TOKENS, or a model with a longer context)';
const NO_API_WANTED = 'a server that speaks the Chat Completions API (OPENAI_BASE_URL, which often ends in /v1)';
const FORM_WANTED = 'a request that is accepted';

/** Every fault that a server reports by status, number, type or words. The first match decides. */
export const reportedFaults: readonly ReportedFault[] = [
  {
    name: 'no script matches (the scripted model of demo and tests)',
    code: 'OPERATOR_NO_SCRIPT',
    wanted:
      'a prompt that a script matches; for any other job set OPENAI_API_KEY or OPENAI_BASE_URL, and PROTOSMITH_MODEL, to use a real model',
    matches: ({ names }) => /\bno_script\b/.test(names),
  },
  {
    name: 'a content filter blocks the answer',
    code: 'PLATFORM_MODEL_FILTERED',
    wanted: 'an answer',
    matches: ({ said }) =>
      FILTERS.test(said) &&
      /\b(?:output|response|answer|completion|generated)\b/i.test(said) &&
      !/prompt|input/i.test(said),
  },
  {
    name: 'a content filter refuses the prompt',
    code: 'PLATFORM_MODEL_PROMPT_FILTERED',
    wanted: 'a server whose content filter accepts the agreement',
    matches: (report) =>
      (inForm(report) || report.status === 403 || report.status === 451) && FILTERS.test(report.said),
  },
  {
    name: 'the credit covers fewer tokens than the output limit',
    code: 'OPERATOR_MODEL_QUOTA',
    wanted: CREDIT_WANTED,
    adapts: 'limit',
    matches: (report, sent) => /can only afford/i.test(report.said) && fits(report, sent),
  },
  {
    name: 'no credit, or a quota used up',
    code: 'OPERATOR_MODEL_QUOTA',
    wanted: CREDIT_WANTED,
    matches: ({ status, said }) => status === 402 || (CREDIT.test(said) && (status !== 429 || !RETRIES.test(said))),
  },
  {
    name: 'prompt and output limit together exceed the rate limit',
    code: 'PLATFORM_MODEL_PROMPT_TOO_LONG',
    wanted: SHORTER,
    adapts: 'limit',
    matches: (report, sent) => isBeyondRate(report, sent) && fits(report, sent),
  },
  {
    name: 'the prompt alone exceeds the rate limit',
    code: 'PLATFORM_MODEL_PROMPT_TOO_LONG',
    wanted: SHORTER,
    matches: isBeyondRate,
  },
  {
    name: '`stream_options` refused',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'usage',
    matches: (report, { form }) => form.usage && inForm(report) && /stream_options|include_usage/i.test(report.said),
  },
  {
    name: '`response_format` or its schema refused',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'format',
    matches: (report, { form }) => form.format && inForm(report) && isOfFormat(report),
  },
  {
    name: 'the output limit exceeds the model or its context',
    code: 'PLATFORM_MODEL_PROMPT_TOO_LONG',
    wanted: SHORTER,
    adapts: 'limit',
    matches: (report, sent) => inForm(report) && isOfLength(report) && !isRenamed(report) && fits(report, sent),
  },
  {
    name: '`max_tokens` or `max_completion_tokens` refused',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'limit-name',
    matches: (report, { form }) =>
      form.limit !== null && inForm(report) && LIMIT.test(report.said) && (isRenamed(report) || !isOfLength(report)),
  },
  {
    name: 'the prompt exceeds the context',
    code: 'PLATFORM_MODEL_PROMPT_TOO_LONG',
    wanted: SHORTER,
    matches: (report) => report.status === 413 || (inForm(report) && isOfLength(report)),
  },
  {
    name: 'the system role refused',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'system',
    matches: (report, { form }) => form.system === 'own' && inForm(report) && isOfSystemRole(report),
  },
  {
    name: '`stream` refused',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    adapts: 'stream',
    matches: (report, { form }) => form.stream && inForm(report) && isOfStream(report),
  },
  {
    name: 'the key is refused',
    code: 'OPERATOR_MODEL_AUTH',
    wanted: KEY_WANTED,
    matches: (report) =>
      (!report.fault.isPage && (report.status === 401 || report.status === 403)) ||
      report.status === 407 ||
      (inForm(report) && KEY.test(report.said)),
  },
  {
    name: 'rate limited',
    code: 'PLATFORM_MODEL_RATE_LIMITED',
    wanted: 'a request within the rate limit',
    matches: ({ status, said }) =>
      status === 429 || ((status === undefined || status === 400 || status === 498) && RATE.test(said)),
  },
  {
    name: 'the model is unknown',
    code: 'OPERATOR_MODEL_UNKNOWN',
    wanted: 'a model that the server knows (PROTOSMITH_MODEL)',
    matches: (report) => !report.fault.isPage && isOfModel(report),
  },
  {
    name: 'the path is unknown',
    code: 'OPERATOR_MODEL_UNKNOWN',
    wanted: 'a model and path that exist (PROTOSMITH_MODEL, OPENAI_BASE_URL)',
    adapts: 'path',
    matches: (report) => [404, 405, 410].includes(report.status ?? 0) || (inForm(report) && PATH.test(report.said)),
  },
  {
    name: 'a web page or a redirect instead of an answer',
    code: 'PLATFORM_MODEL_NOT_AN_API',
    wanted: NO_API_WANTED,
    matches: ({ fault, status = 0 }) => (fault.isPage && status < 500) || (status >= 300 && status < 400),
  },
  {
    name: 'the server is busy, restarting or failing',
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    wanted: 'an answer',
    matches: (report) =>
      (report.status ?? 0) >= 500 ||
      [408, 409, 423, 424, 425].includes(report.status ?? 0) ||
      (inForm(report) && UNLOADED.test(report.said)),
  },
  {
    name: 'anything else in the request is refused, such as an unknown parameter',
    code: 'PLATFORM_MODEL_REFUSED',
    wanted: FORM_WANTED,
    matches: ({ status, names }) =>
      status !== undefined ||
      /invalid_?(?:request|argument|parameter)|bad_?request|validation|unprocessable/i.test(names),
  },
  {
    name: 'an error inside an answer, of unknown kind',
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    wanted: 'an answer',
    matches: () => true,
  },
];

/**
 * The fault for a refusal when no other form is left: the same request would be refused again, whichever part the
 * refusal names.
 */
export function lastFaultOf(fault: ServerFault, { form, promptTokens }: Sent): Fault {
  const limit = form.limit ?? { name: 'max_tokens' as const, tokens: 1 };
  const whole: Form = { ...form, system: 'own', stream: true, usage: true, format: true, limit };
  return faultOf(fault, { form: whole, promptTokens });
}

/** The fault that a refusal means. */
export function faultOf(fault: ServerFault, sent: Sent): Fault {
  const { status, names, place, words } = fault;
  const report: Report = { fault, status, names, said: `${names} ${place} ${words}` };
  return reportedFaults.find(({ matches }) => matches(report, sent)) ?? (reportedFaults.at(-1) as Fault);
}

/** Faults that no server reports: the answer itself, or its absence, shows them. */
export const answerFaults = {
  unreachable: {
    name: 'the server cannot be reached, or the connection breaks before the answer',
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    wanted: 'an answer',
  },
  silent: { name: 'the server stops sending', code: 'PLATFORM_MODEL_STALLED', wanted: 'a stream that goes on' },
  cut: { name: 'the answer is cut off', code: 'PLATFORM_MODEL_CUT', wanted: 'a whole answer' },
  noApi: {
    name: 'status 200 with a web page, or with neither JSON nor events',
    code: 'PLATFORM_MODEL_NOT_AN_API',
    wanted: 'a completion',
  },
  noAnswer: {
    name: 'status 200 with JSON that is neither an answer nor an error',
    code: 'PLATFORM_MODEL_UNAVAILABLE',
    wanted: 'a completion',
  },
  toolCall: {
    name: 'a tool call instead of text, though no tool was offered',
    code: 'PLATFORM_MODEL_EMPTY',
    wanted: 'an answer in text',
  },
  empty: { name: 'an answer without text', code: 'PLATFORM_MODEL_EMPTY', wanted: 'an answer' },
  tooLong: {
    name: 'the answer reaches the output limit',
    code: 'PLATFORM_MODEL_LENGTH',
    wanted: 'an answer that fits',
  },
  withheld: {
    name: 'the model or a content filter ends the answer',
    code: 'PLATFORM_MODEL_FILTERED',
    wanted: 'an answer',
  },
} as const satisfies Record<string, Fault>;

function isBeyondRate({ fault, status, said }: Report, sent: Sent): boolean {
  return (
    (status === 413 || status === 429 || FORM.has(status)) &&
    /request too large|per min|\bTPM\b/i.test(said) &&
    exceedsRate(fault, limitOf(sent))
  );
}

/** Whether the server wants another name for the limit, not another value. */
function isRenamed({ said }: Report): boolean {
  return (
    LIMIT.test(said) &&
    /use ['"`]?max_|unsupported[_ ]parameter|unrecogni[sz]ed|extra_forbidden|extra (?:inputs|fields)|unexpected/i.test(
      said,
    )
  );
}

/** A server may answer 404 although it knows the path; some gateways answer 503 if no provider has the model. */
function isOfModel(report: Report): boolean {
  const { status, names, said } = report;
  if (status === 404 && /\b(?:model|deployment)s?\b/i.test(said) && !PATH.test(said)) return true;
  return inForm(report) ? MODEL.test(said) && !UNLOADED.test(said) : /model_?not_?found/i.test(names);
}

function isOfFormat(report: Report): boolean {
  if (FORMAT.test(report.fault.place) || /response_format/i.test(report.said)) return true;
  // A server may call an overlong prompt "structured".
  return FORMAT.test(report.said) && !isOfLength(report);
}

function isOfSystemRole({ fault: { place }, said }: Report): boolean {
  if (/roles must alternate|a valid role: user|only user and assistant|first message.{0,40}user/i.test(said))
    return true;
  if (/^(?:body\.)?messages\W*0\W*role/.test(place)) return true;
  const named =
    /\b(?:system|developer)\b.{0,30}\b(?:roles?|messages?|prompts?|instructions?)\b|\b(?:roles?|messages?|prompts?)\b.{0,60}\b(?:system|developer)\b/i;
  return named.test(said) && REFUSES.test(said);
}

function isOfStream({ fault: { place }, status = 0, said }: Report): boolean {
  if (status >= 500 && status !== 501) return false;
  return /^(?:body\.)?stream$/.test(place) || (/\bstream(?:ing)?\b/i.test(said) && REFUSES.test(said));
}
