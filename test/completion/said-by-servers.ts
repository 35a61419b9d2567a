import type { JsonObject } from '../../src/kernel/json.ts';

/** A fault in the form that most servers use. */
export const error = (message: string, more: JsonObject = {}) => ({ error: { message, ...more } });

/** What servers say, in every form seen, by the fault that it means: status, then body. */
export const said: Record<string, [status: number, body: unknown][]> = {
  'no script matches (the scripted model of demo and tests)': [[404, error('nothing fits', { code: 'no_script' })]],
  'a content filter blocks the answer': [
    [200, error('The generated response was stopped by the content filter', { code: 'content_filter' })],
  ],
  'a content filter refuses the prompt': [
    [400, error('Your prompt set off our content management policy', { code: 'content_filter', param: 'prompt' })],
    [400, error('Input text may hold inappropriate content', { code: 'data_inspection_failed' })],
    [403, error('The input was flagged: violence', { code: 403 })],
  ],
  'the credit covers fewer tokens than the output limit': [
    [
      402,
      error('Add credits or ask for fewer max_tokens: 16384 were asked for, you can only afford 2600', { code: 402 }),
    ],
  ],
  'no credit, or a quota used up': [
    [400, error('Budget has been exceeded, cost: 10.2, most: 10', { type: 'budget_exceeded', code: '400' })],
    [403, error('Key limit exceeded (weekly)', { code: 403 })],
    [
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'The specified API usage limits are reached.' },
      },
    ],
    [403, error('The free tier of this model is exhausted', { code: 'AllocationQuota.FreeTierOnly' })],
    [403, { code: 'No permission', error: "This team doesn't have any credits." }],
    [429, { error: { code: '1113', message: '余额不足' } }],

    [402, {}],
    [200, error('Not enough credits on this account', { code: 402 })],
    [429, error('The quota of this account is used up', { code: 'insufficient_quota' })],
    [400, error('Access denied, the account is in good standing no more', { code: 'Arrearage' })],
    [403, { message: 'insufficient balance' }],
  ],
  'prompt and output limit together exceed the rate limit': [
    [
      413,
      error('Request too large on tokens per minute (TPM): Limit 12000, Requested 20400', {
        type: 'tokens',
        code: 'rate_limit_exceeded',
      }),
    ],
    [
      429,
      error('Request too large for this organization on TPM: Limit 10,000, Requested 19,000.', {
        code: 'rate_limit_exceeded',
      }),
    ],
  ],
  'the prompt alone exceeds the rate limit': [
    [
      413,
      error('Request too large on tokens per minute (TPM): Limit 3000, Requested 20400', {
        code: 'rate_limit_exceeded',
      }),
    ],
  ],
  '`stream_options` refused': [
    [400, { success: false, error: { issues: [{ code: 'unrecognized_keys', keys: ['stream_options'], path: [] }] } }],
    [400, { error_code: 'BAD_REQUEST', message: '{"model_error":{"reply":{"text":"stream_options is no argument"}}}' }],
    [
      422,
      {
        object: 'error',
        message: { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options', 'include_usage'] }] },
      },
    ],
    [400, [error('Unknown name "stream_options": no such field', { status: 'INVALID_ARGUMENT' })]],

    [400, error('stream_options: unknown field')],
    [422, { detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'No further members' }] }],
  ],
  '`response_format` or its schema refused': [
    [400, error('Failed to generate JSON', { code: 'json_validate_failed', failed_generation: '{' })],
    [404, error('No endpoints found that can handle the requested parameters.', { code: 404 })],
    [400, [error("Unknown name at 'generation_config.response_schema.properties[0]'", { status: 'INVALID_ARGUMENT' })]],
    [400, [error('The specified schema makes too many states', { status: 'INVALID_ARGUMENT' })]],
    [500, error('no vocabulary, which is required for format', { type: 'api_error' })],
    [422, 'cannot deserialize body: response_format.type: unknown variant `json_schema`'],

    [400, error("'response_format' of type 'json_schema' is not offered here", { param: 'response_format' })],
    [400, error("Wrong schema for response_format 'reading': In context=(), it exceeds the depth", {})],
    [500, { error: 'cannot compile the grammar' }],
  ],
  'the output limit exceeds the model or its context': [
    [400, [error('maxOutputTokens is 16384, but the supported range is from 1 (inclusive) to 8193 (exclusive)')]],
    [400, { detail: 'ValidationException: the maximum tokens asked for exceed the model limit of 8192' }],

    [
      400,
      {
        object: 'error',
        message:
          'The maximum context length is 8192 tokens, but 20400 were requested (3900 in the messages, 16384 in the completion)',
        code: 400,
      },
    ],
    [
      400,
      error('max_completion_tokens is too large: 16384. At most 4096 completion tokens are possible.', {
        param: 'max_tokens',
      }),
    ],
    [
      422,
      {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 3900 `inputs` tokens and 16384 `max_new_tokens`',
        error_type: 'validation',
      },
    ],
    [400, error('max_tokens: 16384 > 8192, the most for this model')],
    [400, error('Range of max_tokens should be [1, 8192]')],
    [
      400,
      [
        error(
          'maximum context length is 8192 tokens, this asks for about 20400 tokens (3900 of text input, 16384 in the output)',
        ),
      ],
    ],
  ],
  '`max_tokens` or `max_completion_tokens` refused': [
    [
      400,
      error("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", {
        code: 'unsupported_parameter',
      }),
    ],
    [
      422,
      { detail: [{ type: 'extra_forbidden', loc: ['body', 'max_tokens'], msg: 'Extra inputs are not permitted' }] },
    ],
  ],
  'the prompt exceeds the context': [
    [400, { error: 'Cannot keep the first 9000 tokens: the context length is only 4096 tokens' }],
    [400, error('The prompt (length 9000) is longer than the maximum model length of 8192')],
    [422, { error: '`inputs` must have less than 4095 tokens. Given: 9000', error_type: 'validation' }],
    [400, error('<400> InvalidParameter: Range of input length should be [1, 30720]')],

    [413, '<html><head><title>413 Request Entity Too Large</title></head></html>'],
    [
      400,
      error('this question exceeds the context size', {
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5300,
        n_ctx: 4096,
      }),
    ],
    [400, error('too long', { code: 'context_length_exceeded' })],
    [400, error('Prompt contains 40000 tokens, too large for a maximum context length of 32768')],
    [500, { error: 'input is too long for the context window' }],
  ],
  'the system role refused': [
    [400, [error('Please use a valid role: user, model.', { status: 'INVALID_ARGUMENT' })]],
    [
      400,
      { object: 'error', message: 'The system role is not supported', type: 'BadRequestError', param: null, code: 400 },
    ],
    [400, error("Unsupported value: the role 'system' at messages[0].role", { param: 'messages[0].role' })],
    [400, { message: 'Conversation roles must alternate user/assistant' }],
    [500, { error: { code: 500, message: 'Jinja: Only user and assistant roles are possible' } }],
    [
      400,
      [
        {
          error: {
            code: 400,
            message: 'Developer instruction is not enabled for this model',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    ],
  ],
  '`stream` refused': [
    [501, { error: 'stream is not implemented' }],
    [400, error("'stream' does not take true with this model", { param: 'stream', code: 'unsupported_value' })],
    [422, { detail: 'Streaming is not supported' }],
  ],
  'the key is refused': [
    [400, [error('Please pass a valid API key', { status: 'INVALID_ARGUMENT' })]],
    [400, error('Organization has been restricted', { code: 'organization_restricted' })],

    [401, 'Unauthorized'],
    [403, { message: 'no access' }],
    [400, error('API key not valid', { status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] })],
    [200, error('No auth credentials found', { code: 401 })],
    [200, { object: 'error', message: 'who are you', code: 401 }],
  ],
  'rate limited': [
    [498, error('Flex capacity exceeded', { type: 'capacity_exceeded' })],

    [429, ''],
    [
      429,
      error('Rate limit reached on tokens per min (TPM): Limit 40000, Used 39000, Requested 20000. Try again in 12s'),
    ],
    [200, error('overloaded', { type: 'rate_limit_error' })],
    [
      429,
      [
        error('You exceeded your current quota, see your billing. Please retry in 9.5s', {
          status: 'RESOURCE_EXHAUSTED',
        }),
      ],
    ],
  ],
  'the model is unknown': [
    [404, error('no such deployment', { code: 'DeploymentNotFound' })],
    [400, error('Chat does not work with the specified model, m', { code: 'OperationNotSupported' })],
    [404, error('This is no chat model', { param: 'model' })],
    [404, { type: 'error', error: { type: 'not_found_error', message: 'model: m' } }],
    [400, { error: 'No models loaded' }],
    [400, { detail: 'ValidationException: model ID m with on-demand throughput is not there' }],
    [400, { message: 'The provided model identifier is invalid.' }],
    [400, error("The model 'm' does not support the '/v1/chat/completions' API")],
    [400, error('{\n "error": {"code": 404, "message": "models/m is not found"}}', { code: 400 })],
    [503, error('no channel for model m', { code: 'model_not_found' })],
    [400, { error: { code: '1211', message: '模型不存在' } }],
    [400, error('The model `m` needs its terms accepted', { code: 'model_terms_required' })],

    [404, error("model 'm' not found, try pulling it first")],
    [400, error('m is not a valid model ID', { code: 400 })],
    [400, error('The model `m` has been decommissioned', { code: 'model_decommissioned' })],
  ],
  'the path is unknown': [
    [404, '404 page not found'],
    [404, { detail: 'Not Found' }],
    [405, ''],
    [404, '<!doctype html><title>Nothing here</title>'],
    [200, { error: 'Unexpected endpoint or method. (POST /chat/completions)' }],
    [404, error('Invalid URL (POST /chat/completions)', { type: 'invalid_request_error' })],
  ],
  'a web page or a redirect instead of an answer': [
    [403, '<!doctype html><title>Just a moment</title>'],
    [302, ''],
  ],
  'the server is busy, restarting or failing': [
    [424, { error: 'Request failed during generation: CANCELLED', error_type: 'generation' }],
    [400, { error: 'The model has crashed without a reason. (Exit code: 1844)' }],
    [400, { error: 'Model unloaded.' }],
    [400, error('Failed to load model "m": too little memory', { code: 'model_load_failed' })],

    [500, error('context deadline exceeded')],
    [502, '<html><h1>Bad Gateway</h1></html>'],
    [503, error('Loading model', { type: 'unavailable_error', code: 503 })],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    [200, error('upstream failed', { code: 502 })],
  ],
  'anything else in the request is refused, such as an unknown parameter': [
    [400, ''],
    [400, error("'temperature' has to be 1 with this model", { param: 'temperature' })],
    [418, 'short and stout'],
    [200, { type: 'error', error: { type: 'invalid_request_error', message: 'messages: text is missing' } }],
  ],
  'an error inside an answer, of unknown kind': [
    [200, error('something went wrong')],
    [200, { error: 'oops' }],
    [200, { errors: ['oops'] }],
  ],
};
