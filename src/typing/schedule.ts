import { MAX_TOGETHER, standsAlone } from './together.ts';

/** The owner of a check. Tenants take turns, and so do the jobs of a tenant. */
export interface Owner {
  tenant: string;
  job: string;
}

/** A module that waits for a check. */
export interface Turn {
  source: string;
  owner: Owner;
}

/** Most characters in the modules of one program. */
const MAX_PROGRAM_CHARACTERS = 128 * 1024;

/** Most tenants and jobs remembered; the least recently used are dropped. */
const MAX_REMEMBERED = 10_000;

/** Consecutive overruns, of different jobs, after which a tenant is suspect; a few can happen to anyone. */
const MAX_TENANT_OVERRUNS = 3;

/**
 * The order in which modules are checked. The first check of a module is short and shares a program with others. If the
 * program exceeds its limit, each module is checked alone. If a module alone exceeds the limit, its last check is
 * longer and comes after all modules that are not suspect. A job with an overrun is suspect, and so is a tenant with
 * several. Modules of suspects get only a last check, until one passes.
 */
export class Schedule<One extends Turn> {
  readonly #waiting: One[] = [];
  readonly #alone = new WeakSet<One>();
  readonly #last = new WeakSet<One>();
  /** The latest turn of each tenant and job, as a counter. */
  readonly #turns = new Recent();
  /** Overruns of each tenant and job since one of their modules passed. */
  readonly #overruns = new Recent();
  #clock = 0;

  /** Queues a module for its first check, or for its last one if its owner is suspect. */
  add(turn: One): void {
    for (const name of namesOf(turn.owner)) if (!this.#turns.has(name)) this.#tick(name);
    this.#waiting.push(turn);
  }

  /** Removes the next module for a first check, with others that can share its program; empty if none waits. */
  firstCheck(): One[] {
    // Modules of a program that exceeded its limit come first, so that the culprit is found before it spoils another
    // program.
    const first =
      this.#next((turn) => !this.#isSuspect(turn) && this.#alone.has(turn)) ??
      this.#next((turn) => !this.#isSuspect(turn));
    if (first === undefined) return [];
    const program = [first];
    let characters = first.source.length;
    const fits = (turn: One): boolean =>
      !this.#isSuspect(turn) &&
      !this.#alone.has(turn) &&
      characters + turn.source.length <= MAX_PROGRAM_CHARACTERS &&
      standsAlone(turn.source);
    if (this.#alone.has(first) || !standsAlone(first.source)) return program;
    for (let next = this.#next(fits); next !== undefined; next = this.#next(fits)) {
      program.push(next);
      if (program.length === MAX_TOGETHER) break;
      characters += next.source.length;
    }
    return program;
  }

  /** Removes the next module for a last check; `undefined` if none waits. */
  lastCheck(): One | undefined {
    return this.#next((turn) => this.#isSuspect(turn));
  }

  /** Records that a check finished within its limits. */
  passed({ owner }: One): void {
    for (const name of namesOf(owner)) this.#overruns.delete(name);
  }

  /** Records that a first check of a program failed, and queues its modules again: alone, or for the last check. */
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

  /** The waiting module that `fits` whose tenant, and then whose job, had its turn longest ago. */
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

/** Numbers by name; the least recently set are dropped. */
class Recent extends Map<string, number> {
  override set(name: string, value: number): this {
    this.delete(name);
    if (this.size >= MAX_REMEMBERED) for (const oldest of this.keys().take(1)) this.delete(oldest);
    return super.set(name, value);
  }
}

/** The keys of a tenant and a job; tenant names contain no slash. */
function namesOf({ tenant, job }: Owner): [tenant: string, job: string] {
  return [tenant, `${tenant}/${job}`];
}
