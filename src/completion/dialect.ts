import { APIError } from 'openai';
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import type { ResponseFormat } from '../contract/completion.ts';
import { wordOf } from './model-failure.ts';

/** The members of a request that not every server accepts. */
export type Optional = Pick<
  ChatCompletionCreateParamsStreaming,
  'stream_options' | 'response_format' | 'max_tokens' | 'max_completion_tokens'
>;

type LimitName = 'max_completion_tokens' | 'max_tokens';

/** What one model of one server was found to accept. */
export interface Dialect {
  /** The members to send beside the question itself. */
  optional(maxTokens: number, format: ResponseFormat | undefined): Optional;
  /** Learns from a refusal. Says whether the question can be put again in another form. */
  adapts(refusal: unknown, sent: Optional): boolean;
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
  const limits: LimitName[] = ['max_completion_tokens', 'max_tokens'];
  if (!isOpenAi) limits.reverse();
  const refused = new Set<keyof Optional>();
  const limit = () => limits.find((name) => !refused.has(name));
  return {
    optional: (maxTokens, format) => {
      const name = limit();
      return {
        ...(refused.has('stream_options') ? {} : { stream_options: { include_usage: true } }),
        ...(name === undefined ? {} : { [name]: maxTokens }),
        ...(format === undefined || refused.has('response_format')
          ? {}
          : { response_format: { type: 'json_schema', json_schema: { ...format, strict: false } } }),
      };
    },
    // What this request sent counts, not what is known by now: another may have been refused meanwhile.
    adapts: (refusal, sent) => {
      const member = refusedMember(refusal, sent);
      if (member === undefined) return false;
      refused.add(member);
      return true;
    },
  };
}

/** Which of the members that were sent a server does not accept, as far as its words tell. */
function refusedMember(refusal: unknown, sent: Optional): keyof Optional | undefined {
  if (!(refusal instanceof APIError) || (refusal.status !== 400 && refusal.status !== 422)) return undefined;
  const words = `${wordOf(refusal.param)} ${refusal.message}`;
  const limit = sent.max_tokens === undefined ? 'max_completion_tokens' : 'max_tokens';
  if (sent.stream_options && /stream_options|include_usage/.test(words)) return 'stream_options';
  if (/context/i.test(wordOf(refusal.code))) return undefined;
  if (sent[limit] && /max_(?:completion_)?tokens/.test(words)) return limit;
  // Some servers name the schema, or what compiles it.
  if (sent.response_format && /response.?format|json.?schema|structured|guided|grammar/i.test(words))
    return 'response_format';
  return undefined;
}
