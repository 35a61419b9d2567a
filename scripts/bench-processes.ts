import { readdirSync, readFileSync } from 'node:fs';

/** What one kind of process has used so far. */
export interface Used {
  /** CPU time in milliseconds; the kernel counts in hundredths of a second. */
  cpuMs: number;
  /** Resident memory in MB. */
  memoryMb: number;
}

/** The processes of a worker by purpose. */
export type Kind = 'worker' | 'cells' | 'type check' | 'esbuild';

/** What a worker and its descendants have used, by kind. Excludes processes that have ended. */
export function usedBy(workerPid: number): Record<Kind, Used> {
  const used: Record<Kind, Used> = {
    worker: { cpuMs: 0, memoryMb: 0 },
    cells: { cpuMs: 0, memoryMb: 0 },
    'type check': { cpuMs: 0, memoryMb: 0 },
    esbuild: { cpuMs: 0, memoryMb: 0 },
  };
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = all.flatMap((pid) => readProcess(Number(pid)) ?? []);
  const visit = (pid: number): void => {
    for (const one of found) {
      if (one.pid === pid) {
        const sum = used[pid === workerPid ? 'worker' : kindOf(one.command)];
        sum.cpuMs += one.cpuMs;
        sum.memoryMb += one.memoryMb;
      }
      if (one.parent === pid) visit(one.pid);
    }
  };
  visit(workerPid);
  return used;
}

function kindOf(command: string): Kind {
  if (command.includes('esbuild\0--service')) return 'esbuild';
  return /type-check-child|\0--api\0/.test(command) ? 'type check' : 'cells';
}

function readProcess(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name before it may contain anything, including brackets and blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return {
      pid,
      parent: Number(fields[1]),
      cpuMs: 10 * (Number(fields[11]) + Number(fields[12])),
      memoryMb: Number(kilobytes ?? 0) / 1_024,
      command: readFileSync(`/proc/${pid}/cmdline`, 'utf8'),
    };
  } catch {
    // The process has ended.
    return undefined;
  }
}
