/** A part of the request that can be changed if a server refuses it. */
export type Adaptation = 'path' | 'system' | 'stream' | 'usage' | 'format' | 'limit-name' | 'limit';

/** What was learnt about a model of a server, as text for the log and `doctor`. */
export const ADAPTATIONS: Record<Adaptation | 'reasoning', string> = {
  path: 'requests go under `/v1`; OPENAI_BASE_URL should end in it',
  system: 'the system prompt goes into the first turn',
  stream: 'without `stream`; answers are not streamed',
  usage: 'without `stream_options`; tokens are estimated',
  format: 'without `response_format`',
  'limit-name': 'the output limit goes under the other name, or is left out',
  limit: 'with a smaller output limit',
  reasoning: 'reasoning comes without an opening tag; the answer starts after the closing tag',
};

/** The name of something learnt. */
export type Learnt = keyof typeof ADAPTATIONS;

/** The two names of the output limit. */
type LimitName = 'max_completion_tokens' | 'max_tokens';

/** The form of one request. */
export interface Form {
  /** Whether `/v1` is added to the base URL. */
  underVersion: boolean;
  /** Whether the system prompt has its own message. */
  system: 'own' | 'in-first-turn';
  stream: boolean;
  /** Whether token counts are requested. */
  usage: boolean;
  format: boolean;
  limit: { name: LimitName; tokens: number } | null;
}

/** What one model of one server accepts, remembered while the process lives. */
export interface Dialect {
  /** The form of the next request. */
  form(maxTokens: number, hasFormat: boolean): Form;
  /** Learns from the refusal of a form. Returns whether there is another form to try. */
  adapt(adaptation: Adaptation, sent: Form, smallerLimit: number | null): boolean;
  /** Whether reasoning may come without an opening tag; `undefined` until an answer has shown it. */
  reasonsOpenly: boolean | undefined;
  noteReasoning(isOpen: boolean): void;
  /** Everything learnt so far, in order. */
  readonly learnt: readonly Learnt[];
}

const dialects = new Map<string, Dialect>();

/** The dialect of an endpoint and model, shared by all completers of this process. */
export function dialectOf(endpoint: string, model: string, isOpenAi: boolean): Dialect {
  const key = `${endpoint} ${model}`;
  const dialect = dialects.get(key) ?? createDialect(isOpenAi);
  dialects.set(key, dialect);
  return dialect;
}

function createDialect(isOpenAi: boolean): Dialect {
  const names: LimitName[] = ['max_completion_tokens', 'max_tokens'];
  if (!isOpenAi) names.reverse();
  const learnt = new Set<Learnt>();
  let most = Number.POSITIVE_INFINITY;
  const form: Dialect['form'] = (maxTokens, hasFormat) => {
    const [name] = names;
    return {
      underVersion: learnt.has('path'),
      system: learnt.has('system') ? 'in-first-turn' : 'own',
      stream: !learnt.has('stream'),
      usage: !learnt.has('usage') && !learnt.has('stream'),
      format: hasFormat && !learnt.has('format'),
      limit: name === undefined ? null : { name, tokens: Math.min(maxTokens, most) },
    };
  };
  return {
    form,
    adapt: (adaptation, sent, smaller) => {
      // The form that was sent counts, not the current one: another request may have changed it meanwhile.
      if (adaptation === 'limit-name')
        names.splice(0, names.length, ...names.filter((name) => name !== sent.limit?.name));
      if (adaptation === 'limit') {
        if (smaller === null || sent.limit === null || smaller >= sent.limit.tokens) return false;
        most = Math.min(most, smaller);
      }
      learnt.add(adaptation);
      return true;
    },
    reasonsOpenly: undefined,
    noteReasoning(isOpen) {
      this.reasonsOpenly = isOpen || this.reasonsOpenly === true;
      if (isOpen) learnt.add('reasoning');
    },
    get learnt() {
      return [...learnt];
    },
  };
}
