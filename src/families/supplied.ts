/** The JSON Schema of a job's member `supplied`, which several families accept. */
export const suppliedSchema = {
  type: 'object',
  description: 'The texts that an agreement refers to by URI → text, since nothing is fetched.',
  additionalProperties: { type: 'string' },
} as const;
