import type { Json } from '../kernel/json.ts';

/**
 * A schema with the few keywords that the generator sees. Only our own code writes `tsType`: `any` or one of our names.
 */
export type GeneratorSchema = { [keyword: string]: Json };

/** The type of any value. */
export const ANY: GeneratorSchema = { tsType: 'any' };
