import type { CompleteOptions, Prompt } from '../contract/completion.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Form } from './dialect.ts';

/** Builds the request body in a form that the server accepts. */
export function bodyOf(
  model: string,
  { prompt: { system, turns }, format }: Pick<CompleteOptions, 'format'> & { prompt: Prompt },
  form: Form,
): JsonObject {
  const said = turns.map(({ role, text }) => ({ role, content: text }));
  const [first, ...later] = said;
  const messages =
    form.system === 'own'
      ? [{ role: 'system', content: system }, ...said]
      : first?.role === 'user'
        ? [{ ...first, content: `${system}\n\n${first.content}` }, ...later]
        : [{ role: 'user', content: system }, ...said];
  return {
    model,
    messages,
    stream: form.stream,
    ...(form.usage ? { stream_options: { include_usage: true } } : {}),
    ...(form.limit === null ? {} : { [form.limit.name]: form.limit.tokens }),
    ...(format !== undefined && form.format
      ? { response_format: { type: 'json_schema', json_schema: { ...format, strict: false } } }
      : {}),
  };
}
