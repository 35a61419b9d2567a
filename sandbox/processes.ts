import { readdirSync, readFileSync } from 'node:fs';

/** The innermost process of a chain in which each has one child; `undefined` if the system does not say. */
export function leafOf(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  for (let leaf = pid; ; ) {
    const [child] = childrenOf(leaf);
    if (child === undefined) return leaf;
    leaf = child;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && statOf(Number(name))?.parent === pid)
      .map(Number);
  }
}

function statOf(pid: number): { parent: number; ticks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in front may contain anything, also brackets and spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return undefined;
  }
}

/**
 * Processor time of a process in milliseconds; `undefined` if the system does not say. Linux counts in
 * hundredths of a second on every platform of Node.
 */
export function cpuOf(pid: number): number | undefined {
  const stat = statOf(pid);
  return stat && stat.ticks * 10;
}

/** Resident memory of a process in MB; `undefined` if the system does not say. */
export function residentMbOf(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(status) ?? [];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

/**
 * File descriptors that every program started from here inherits, except the first three. Node closes those that it
 * opened itself, and of those that it inherited only the first ones.
 */
export function inheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && !isClosedOnStart(descriptor));
  } catch {
    return [];
  }
}

const closedOnStart = 0o2000000;

function isClosedOnStart(descriptor: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & closedOnStart) !== 0;
  } catch {
    // It was the descriptor of the listing itself.
    return true;
  }
}

/** Process ids of the children of this process that run a program of this name. */
export function childrenNamed(name: string): number[] {
  return process.platform === 'linux' ? childrenOf(process.pid).filter((pid) => nameOf(pid) === name) : [];
}

function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}
