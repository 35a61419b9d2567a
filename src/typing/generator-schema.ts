import type { Json } from '../kernel/json.ts';

/** The few keywords that reach the generator. `tsType` is only ever written by ourselves: `any` or a name of ours. */
export type GeneratorSchema = { [keyword: string]: Json };

/** The type of every value. */
export const ANY: GeneratorSchema = { tsType: 'any' };
