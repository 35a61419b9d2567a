import type { LocatedSchema } from '../contract/agreement.ts';
import { isObject, type Json, type JsonObject } from '../kernel/json.ts';
import { allSubschemas, MAX_SUBSCHEMAS } from '../schemas/schema-walk.ts';
import { Definitions, type Direction } from './definitions.ts';
import { kindOf, type Placed, type Source } from './source.ts';

/** A schema of the description, and its place in the schema of a message. */
export interface Part {
  /** JSON pointer; empty if the part is the whole schema. */
  at: string;
  /** If absent, anything is allowed there. */
  schema: Placed | undefined;
}

/** What a message is built from. */
export interface MessageParts {
  direction: Direction;
  /** The name of its method. */
  heading: string;
  /** The part of the description that describes it. */
  place: Placed;
  parts: readonly Part[];
}

/**
 * Most subschemas of all messages of one description. One agreement can use `MAX_SUBSCHEMAS` of each side, so with more
 * methods must be chosen.
 */
const MAX_DESCRIBED = 10 * MAX_SUBSCHEMAS;

/** Builds the schemas of messages from the schemas of a description. */
export class SchemaBuilder {
  readonly #source: Source;
  readonly #definitions: Definitions;
  #left = MAX_DESCRIBED;

  constructor(source: Source, isOpenApi = false) {
    this.#source = source;
    this.#definitions = new Definitions(source.place, source.dialect, isOpenApi);
  }

  /** The schema of a message, built from parts of the description, with the definitions that they need. */
  schemaOf({ direction, heading, place, parts }: MessageParts, build: (parts: readonly Json[]) => Json): LocatedSchema {
    const { node } = place;
    // Once the budget is spent, further messages are not built.
    if (this.#left < 0) return { schema: true, start: node.start, end: node.start, heading };
    const needs = new Set<string>();
    const schemas = parts.map(({ at, schema }) =>
      schema === undefined ? true : this.#definitions.part(this.#usable(schema), at, direction, needs),
    );
    const { schema, origins } = this.#definitions.complete(build(schemas), needs);
    const { baseUri } = this.#source.place;
    return {
      schema: this.#affordable(schema, place),
      start: node.start,
      // A schema that was built of several parts has no text of its own.
      end: parts.some(({ at }) => at === '') ? node.end : node.start,
      heading,
      ...(baseUri === undefined ? {} : { baseUri }),
      origins: [
        ...origins,
        ...parts.flatMap(({ at, schema: part }) =>
          part === undefined ? [] : [this.#definitions.originAt(at, part.pointer)],
        ),
        // A patch of a built schema has no place in the text, so that it changes no text.
        ...(parts.some(({ at }) => at === '') ? [] : [this.#definitions.originAt('', place.pointer)]),
      ],
    };
  }

  #usable(schema: Placed): Json {
    const { value } = schema.node;
    if (isObject(value) || typeof value === 'boolean') return value;
    this.#source.fault('error', schema, kindOf(value), 'a JSON Schema');
    return true;
  }

  #affordable(schema: Json, place: Placed): Json {
    this.#left -= allSubschemas(schema, MAX_DESCRIBED + 1).length;
    if (this.#left >= 0) return schema;
    this.#source.fault(
      'error',
      place,
      `more than ${MAX_DESCRIBED} schemas up to here`,
      'fewer, or a choice of methods',
    );
    return true;
  }
}

/** The schema of an object with these members. */
export function objectOf(members: readonly { name: string; schema: Json; required: boolean }[]): JsonObject {
  const required = members.filter((member) => member.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, schema }): [string, Json] => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** The reply of a method that sends none. */
export const NOTHING: Json = { title: 'NoReply', description: 'Nothing is sent.', type: 'null' };

/** The place of the data of a declared error in the schema of a reply. */
export const ERROR_DATA = '/properties/error/properties/data';

/** The schema of a reply that reports a declared error. */
export function errorReply(code: Json, message: string, data: Json, isDataRequired: boolean): JsonObject {
  const error = objectOf([
    { name: 'code', schema: code, required: true },
    { name: 'message', schema: { type: 'string', ...(message === '' ? {} : { examples: [message] }) }, required: true },
    { name: 'data', schema: data, required: isDataRequired },
  ]);
  return objectOf([{ name: 'error', schema: error, required: true }]);
}
