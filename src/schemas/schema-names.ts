import { isObject, type Json, type JsonObject, valueAt } from '../kernel/json.ts';
import { DEFINITIONS, type Dialect, dialectNamed, dialectOf, idOf } from './dialect.ts';
import { childSchemas } from './schema-walk.ts';

/** A schema with an id, or the root schema: the base of references. */
interface Resource {
  uri: string;
  /** JSON pointer from the root schema. */
  pointer: string;
  dialect: Dialect;
}

/** The target of a reference: a pointer from the root schema, or why there is none. */
type Target = { pointer: string } | { missing: string } | { external: string };

/** The key of recursive anchors (2019-09) among dynamic anchors; no real anchor contains `#`. */
const RECURSIVE = '#';

/** Base URI of relative ids and references if no enclosing schema has an absolute id. */
const NO_BASE = 'schema:/';

/** The URIs that a reference to another schema may mean: its own, and the one of a schema with a relative id. */
export function addressesOf(reference: string): string[] {
  const own = withoutFragment(reference);
  return [own, resolved(NO_BASE, URL.canParse(own) ? new URL(own).pathname : own)];
}

/** Most ways from the root to a subschema that are told apart by the dynamic anchor met first, for all anchors. */
const MAX_WAYS = 2_000;

const known = new WeakMap<object, SchemaNames>();

/** The names in a schema; read once. The schema must not be changed afterwards. */
export function namesIn(root: JsonObject): SchemaNames {
  const before = known.get(root);
  if (before !== undefined) return before;
  const made = new SchemaNames(root);
  known.set(root, made);
  return made;
}

/**
 * The ids and anchors by which the parts of a schema reference each other (JSON Schema 2020-12 core, section 8), for
 * any draft.
 */
class SchemaNames {
  readonly root: Resource;
  /** The places of definitions. */
  readonly definitions = new Set<string>();
  readonly #schema: JsonObject;
  readonly #resources = new Map<string, Resource>();
  readonly #byUri = new Map<string, Resource>();
  readonly #anchors = new Map<string, string>();
  readonly #dynamic = new Map<string, Map<Resource, string>>();
  readonly #first = new Map<string, Map<Resource, Set<Resource | undefined>>>();
  #waysLeft = MAX_WAYS;

  constructor(schema: JsonObject) {
    this.#schema = schema;
    const dialect = dialectOf(schema);
    const id = idOf(schema, dialect, true) ?? '';
    this.root = { uri: resolved(NO_BASE, withoutFragment(id)), pointer: '', dialect };
    this.#add(this.root);
    const pending = [{ part: { schema: schema as Json, pointer: '', depth: 0 }, resource: this.root }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { part } = next;
      if (!isObject(part.schema)) continue;
      const resource = this.#read(part.schema, part.pointer, next.resource);
      for (const child of childSchemas(part)) {
        const [, keyword = ''] = child.pointer.slice(part.pointer.length).split('/', 2);
        if (DEFINITIONS.has(keyword)) this.definitions.add(child.pointer);
        pending.push({ part: child, resource });
      }
    }
  }

  /** All schemas with an id. */
  get named(): Resource[] {
    return [...this.#resources.values()].filter(({ uri }) => uri !== NO_BASE);
  }

  /** The resource that contains the schema at a place. */
  resourceAt(pointer: string): Resource {
    for (let end = pointer.length; end > 0 && this.#resources.size > 1; end = pointer.lastIndexOf('/', end - 1)) {
      const found = this.#resources.get(pointer.slice(0, end));
      if (found !== undefined) return found;
    }
    return this.root;
  }

  /** The target of a `$ref` in a resource. */
  targetOf(reference: string, base: Resource): Target {
    const [address, fragment] = [withoutFragment(reference), fragmentOf(reference)];
    const uri = address === '' ? base.uri : resolved(base.uri, address);
    const resource = address === '' ? base : this.#byUri.get(uri);
    if (resource === undefined)
      return { external: uri.startsWith(NO_BASE) ? reference : reference.replace(address, uri) };
    const pointer = this.#pointerOf(fragment, resource) ?? this.#pointerOf(fragment, this.root);
    return pointer === undefined ? { missing: `#${fragment}` } : { pointer };
  }

  /** The target of a dynamic reference in a resource; `undefined` if there is none or if it depends on the caller. */
  dynamicTargetOf(keyword: '$dynamicRef' | '$recursiveRef', reference: Json, base: Resource): string | undefined {
    if (typeof reference !== 'string') return undefined;
    const target = this.targetOf(reference, base);
    if (!('pointer' in target)) return undefined;
    const name = keyword === '$dynamicRef' ? fragmentOf(reference) : RECURSIVE;
    const holders = this.#dynamic.get(name);
    if (holders?.get(this.resourceAt(target.pointer)) !== target.pointer) return target.pointer;
    // Validation starts at the root, so its anchor is met first on every way.
    const ofRoot = holders.get(this.root);
    if (ofRoot !== undefined || holders.size === 1) return ofRoot ?? target.pointer;
    const first = [...(this.#firstHolders(name, holders).get(base) ?? holders.keys())];
    const places = new Set(first.map((holder) => (holder && holders.get(holder)) ?? target.pointer));
    return places.size === 1 ? [...places][0] : undefined;
  }

  /**
   * For each resource, the holders of a dynamic anchor that may be met first on a way from the root, where
   * validation starts; `undefined` among them if a way meets none. Empty if there are too many ways.
   */
  #firstHolders(
    name: string,
    holders: ReadonlyMap<Resource, string>,
  ): ReadonlyMap<Resource, Set<Resource | undefined>> {
    const known = this.#first.get(name);
    if (known !== undefined) return known;
    const found = new Map<Resource, Set<Resource | undefined>>();
    this.#first.set(name, found);
    const visited = new Set<string>();
    const pending: { pointer: string; first: Resource | undefined }[] = [{ pointer: '', first: undefined }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { pointer } = next;
      const resource = this.resourceAt(pointer);
      const first = next.first ?? (holders.has(resource) ? resource : undefined);
      const schema = valueAt(this.#schema, pointer);
      const way = `${first?.pointer ?? ''} ${pointer}`;
      if (!isObject(schema) || visited.has(way)) continue;
      visited.add(way);
      this.#waysLeft -= 1;
      if (this.#waysLeft < 0) {
        found.clear();
        break;
      }
      found.set(resource, (found.get(resource) ?? new Set()).add(first));
      const held = first === undefined ? undefined : holders.get(first);
      const { $dynamicRef, ...others } = schema;
      const isDynamic = $dynamicRef === `#${name}` && held !== undefined;
      const places = isDynamic ? [held, ...this.placesFrom(others, resource)] : this.placesFrom(schema, resource);
      const inner = childSchemas({ schema, pointer, depth: 0 }).filter((child) => !this.definitions.has(child.pointer));
      for (const place of [...places, ...inner.map((child) => child.pointer)]) pending.push({ pointer: place, first });
    }
    return found;
  }

  /** The possible targets of a schema's references. */
  placesFrom({ $ref, $dynamicRef, $recursiveRef }: JsonObject, base: Resource): string[] {
    const places: string[] = [];
    for (const reference of [$ref, $dynamicRef]) {
      const target = typeof reference === 'string' ? this.targetOf(reference, base) : undefined;
      if (target !== undefined && 'pointer' in target) places.push(target.pointer);
    }
    if (typeof $dynamicRef === 'string') places.push(...this.#dynamicPlaces(fragmentOf($dynamicRef)));
    if (typeof $recursiveRef === 'string') places.push(base.pointer, ...this.#dynamicPlaces(RECURSIVE));
    return places;
  }

  #dynamicPlaces(name: string): Iterable<string> {
    return this.#dynamic.get(name)?.values() ?? [];
  }

  #read(schema: JsonObject, pointer: string, outer: Resource): Resource {
    let resource = outer;
    const named = pointer === '' ? undefined : dialectNamed(schema.$schema);
    const id = idOf(schema, named ?? outer.dialect, pointer === '');
    if (id !== undefined && withoutFragment(id) !== '' && pointer !== '') {
      resource = { uri: resolved(outer.uri, withoutFragment(id)), pointer, dialect: named ?? outer.dialect };
      this.#add(resource);
    }
    const anchors = [fragmentOf(id ?? ''), schema.$anchor, schema.$dynamicAnchor];
    for (const anchor of anchors) {
      const name = `${resource.uri}#${typeof anchor === 'string' ? anchor : ''}`;
      if (typeof anchor === 'string' && anchor !== '' && !this.#anchors.has(name)) this.#anchors.set(name, pointer);
    }
    if (typeof schema.$dynamicAnchor === 'string') this.#addDynamic(schema.$dynamicAnchor, resource, pointer);
    if (schema.$recursiveAnchor === true && pointer === resource.pointer)
      this.#addDynamic(RECURSIVE, resource, pointer);
    return resource;
  }

  #add(resource: Resource): void {
    this.#resources.set(resource.pointer, resource);
    if (!this.#byUri.has(resource.uri)) this.#byUri.set(resource.uri, resource);
  }

  #addDynamic(name: string, resource: Resource, pointer: string): void {
    const holders = this.#dynamic.get(name) ?? new Map<Resource, string>();
    this.#dynamic.set(name, holders);
    if (!holders.has(resource)) holders.set(resource, pointer);
  }

  #pointerOf(fragment: string, resource: Resource): string | undefined {
    const name = decoded(fragment);
    if (name === undefined) return undefined;
    if (name !== '' && !name.startsWith('/')) return this.#anchors.get(`${resource.uri}#${name}`);
    const pointer = resource.pointer + name;
    return valueAt(this.#schema, pointer) === undefined ? undefined : pointer;
  }
}

function resolved(base: string, reference: string): string {
  if (reference === '') return base;
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference;
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash < 0 ? uri : uri.slice(0, hash);
}

function fragmentOf(uri: string): string {
  return uri.slice(withoutFragment(uri).length + 1);
}

/** A percent-decoded URI fragment; `undefined` if the encoding is invalid. */
export function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
