/** What of a question can be said otherwise where a server refuses it. */
export type Adaptation = 'path' | 'system' | 'stream' | 'usage' | 'format' | 'limit-name' | 'limit';

/** What was learnt of one model of one server, in words for the log and `doctor`. */
export const ADAPTATIONS: Record<Adaptation | 'reasoning', string> = {
  path: 'questions go under `/v1`, in which OPENAI_BASE_URL should end',
  system: 'the system text goes into the first turn',
  stream: 'answers come whole, without `stream`',
  usage: 'without `stream_options`; tokens are estimated',
  format: 'without `response_format`',
  'limit-name': 'the limit of output goes under another name, or is left out',
  limit: 'with a smaller limit of output',
  reasoning: 'reasoning without an opening tag: an answer counts from its closing tag on',
};

/** What was learnt, by name. */
export type Learnt = keyof typeof ADAPTATIONS;

/** The names that the limit of output goes under. */
type LimitName = 'max_completion_tokens' | 'max_tokens';

/** How one question is put. */
export interface Form {
  /** Whether it goes under `/v1` of the base URL. */
  underVersion: boolean;
  /** Whether the system text has a turn of its own. */
  system: 'own' | 'in-first-turn';
  stream: boolean;
  /** Whether the token counts are asked for. */
  usage: boolean;
  format: boolean;
  limit: { name: LimitName; tokens: number } | null;
}

/** What one model of one server was found to accept, remembered for as long as the process lives. */
export interface Dialect {
  /** The form to put a question in. */
  form(maxTokens: number, hasFormat: boolean): Form;
  /** Learns from a refusal of one form. Says whether there is another form to put the question in. */
  adapt(adaptation: Adaptation, sent: Form, smallerLimit: number | null): boolean;
  /** Whether reasoning may come without an opening tag; `undefined` while no answer has told. */
  reasonsOpenly: boolean | undefined;
  noteReasoning(isOpen: boolean): void;
  /** All that was learnt, in the order in which it was. */
  readonly learnt: readonly Learnt[];
}

const dialects = new Map<string, Dialect>();

/** The dialect of an endpoint and model, shared by all completers in this process. */
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
      // What this question sent counts, not what is known by now: another may have been refused meanwhile.
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
