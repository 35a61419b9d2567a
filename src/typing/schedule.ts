import { MAX_TOGETHER, standsAlone } from './together.ts';

/** Who asks for a check. Tenants take turns, and within a tenant its jobs. */
export interface Owner {
  tenant: string;
  job: string;
}

/** What waits for a look at it. */
export interface Turn {
  source: string;
  owner: Owner;
}

/** Most characters of the modules of one program. */
const MAX_CHARACTERS_TOGETHER = 128 * 1024;

/** Most tenants and jobs that are remembered; the one of which nothing was heard for longest is forgotten. */
const MAX_REMEMBERED = 10_000;

/** Overruns in a row, of different jobs, from which on a tenant is a suspect; one may happen to anybody. */
const MAX_TENANT_OVERRUNS = 3;

/**
 * The order of looks at modules. A module has a first look, short and with others in one program; where the program goes over its limit, one by
 * itself; and where it goes over the limit by itself, a last look, longer and after those that are no suspects. A job with an
 * overrun is a suspect, and so is a tenant with several: all of theirs has a last look only, until one of it passes.
 */
export class Schedule<One extends Turn> {
  readonly #waiting: One[] = [];
  readonly #alone = new WeakSet<One>();
  readonly #last = new WeakSet<One>();
  /** When tenants and jobs had their latest turn, as a number that only grows. */
  readonly #turns = new Recent();
  /** Overruns of tenants and jobs since one of their modules passed. */
  readonly #overruns = new Recent();
  #clock = 0;

  /** Lets a module wait for its first look, or for its last one where its owner is a suspect. */
  add(turn: One): void {
    for (const name of namesOf(turn.owner)) if (!this.#turns.has(name)) this.#tick(name);
    this.#waiting.push(turn);
  }

  /** Takes out who is next for a first look, with those that can be looked at in the same program; none where nobody waits for one. */
  firstLook(): One[] {
    // Whose doing it was that a program went over its limit is found out before the next one could be spoilt.
    const first =
      this.#next((turn) => !this.#isSuspect(turn) && this.#alone.has(turn)) ??
      this.#next((turn) => !this.#isSuspect(turn));
    if (first === undefined) return [];
    const program = [first];
    let characters = first.source.length;
    const fits = (turn: One): boolean =>
      !this.#isSuspect(turn) &&
      !this.#alone.has(turn) &&
      characters + turn.source.length <= MAX_CHARACTERS_TOGETHER &&
      standsAlone(turn.source);
    if (this.#alone.has(first) || !standsAlone(first.source)) return program;
    for (let next = this.#next(fits); next !== undefined; next = this.#next(fits)) {
      program.push(next);
      if (program.length === MAX_TOGETHER) break;
      characters += next.source.length;
    }
    return program;
  }

  /** Takes out who is next for a last look; `undefined` where nobody waits for one. */
  lastLook(): One | undefined {
    return this.#next((turn) => this.#isSuspect(turn));
  }

  /** A look at a module came to its end within its limits. */
  passed({ owner }: One): void {
    for (const name of namesOf(owner)) this.#overruns.delete(name);
  }

  /** A first look at a program came to nothing: each of its modules waits again, for a look by itself or for the last one. */
  failed(program: readonly One[], why: 'limit' | 'died'): void {
    const [only] = program;
    if (only !== undefined && program.length === 1) {
      if (why === 'limit')
        for (const name of namesOf(only.owner)) this.#overruns.set(name, (this.#overruns.get(name) ?? 0) + 1);
      this.#last.add(only);
    }
    for (const turn of program) {
      this.#alone.add(turn);
      this.add(turn);
    }
  }

  /** The waiting module that `fits` and whose tenant, and within it whose job, had its turn longest ago. */
  #next(fits: (turn: One) => boolean): One | undefined {
    let first: One | undefined;
    let since: readonly number[] = [];
    for (const turn of this.#waiting) {
      const [tenant = 0, job = 0] = namesOf(turn.owner).map((name) => this.#turns.get(name) ?? 0);
      const isEarlier =
        first === undefined || tenant < (since[0] ?? 0) || (tenant === since[0] && job < (since[1] ?? 0));
      if (isEarlier && fits(turn)) [first, since] = [turn, [tenant, job]];
    }
    if (first === undefined) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(first), 1);
    for (const name of namesOf(first.owner)) this.#tick(name);
    return first;
  }

  #isSuspect(turn: One): boolean {
    const [tenant, job] = namesOf(turn.owner);
    return this.#last.has(turn) || this.#overruns.has(job) || (this.#overruns.get(tenant) ?? 0) >= MAX_TENANT_OVERRUNS;
  }

  #tick(name: string): void {
    this.#clock += 1;
    this.#turns.set(name, this.#clock);
  }
}

/** Numbers by name, of which the longest untouched are forgotten. */
class Recent extends Map<string, number> {
  override set(name: string, value: number): this {
    this.delete(name);
    if (this.size >= MAX_REMEMBERED) for (const oldest of this.keys().take(1)) this.delete(oldest);
    return super.set(name, value);
  }
}

/** The names under which a tenant and a job are remembered; no tenant has a slash in it. */
function namesOf({ tenant, job }: Owner): [tenant: string, job: string] {
  return [tenant, `${tenant}/${job}`];
}
