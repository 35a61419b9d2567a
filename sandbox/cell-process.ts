import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Launch } from './launch.ts';
import { policy } from './policy.ts';
import { leafOf } from './processes.ts';
import type { CellOptions } from './runner/main.ts';

const maxComplaintLength = 500;

/**
 * What Node gets on its command line: it reads the program of a cell from standard input, before the first frame. The
 * program itself would be there once for each process around the cell, and in every listing of processes.
 */
const loader = `const{readSync}=require("node:fs");const program=Buffer.alloc(Number(process.argv.at(-2)));
for(let at=0,count;at<program.length;at+=count)if(!(count=readSync(0,program,at,program.length-at,null)))process.exit(1);
new Function("require",program.toString())(require);`;

/** The process of a cell with whatever was started around it: its pipes and its end. */
export class CellProcess {
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  #leaf: number | undefined;
  /**
   * The beginning of what it wrote to standard error: the reason if it does not start. The guest may have written what
   * comes later.
   */
  complaint = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#stdin = child.stdin as Writable;
  }

  /** Starts a process that runs `code`. `onData` gets its standard output, `onEnd` is called after the last of that. */
  static start(
    launch: Launch,
    code: string,
    options: CellOptions,
    { onData, onEnd }: { onData(chunk: Buffer): void; onEnd(error: Error): void },
  ): CellProcess {
    // The processes around a cell get a group of their own, so that none is left behind that does not hear of its
    // parent's end.
    const program = Buffer.from(code);
    const isGrouped = launch.level === 'namespaces' || launch.level === 'bubblewrap';
    const child = spawn(
      launch.command,
      [...launch.args, ...launch.nodeArgs, '--eval', loader, '--', String(program.length), JSON.stringify(options)],
      {
        cwd: '/',
        detached: isGrouped,
        env: {},
        stdio: ['pipe', 'pipe', 'pipe', ...(launch.seccomp ? (['pipe'] as const) : [])],
      },
    );
    const started = new CellProcess(child);
    child.stderr?.on('data', (chunk: Buffer) => {
      if (started.complaint.length < maxComplaintLength)
        started.complaint += chunk.toString().slice(0, maxComplaintLength);
    });
    const seccomp = child.stdio[3] as Writable | undefined;
    seccomp?.on('error', () => {});
    seccomp?.end(launch.seccomp);
    child.stdout?.on('data', onData);
    // The exit reports a broken pipe.
    started.#stdin.on('error', () => {});
    child.stdout?.on('error', () => {});
    child.on('error', onEnd);
    started.#stdin.write(program);
    started.#onClose(isGrouped, onEnd);
    return started;
  }

  /** Process id of the innermost process, which runs guests; `undefined` if the system does not say. */
  get leaf(): number | undefined {
    this.#leaf ??= leafOf(this.#child.pid);
    return this.#leaf;
  }

  write(text: string, encoding: BufferEncoding): void {
    this.#stdin.write(text, encoding);
  }

  /** Ends the process, whatever it does. */
  kill(): void {
    const { leaf } = this;
    const killChild = () => this.#child.kill('SIGKILL');
    if (leaf === undefined || leaf === this.#child.pid) {
      killChild();
      return;
    }
    // The processes around it wait for it and end after it. Killed at once they would leave a zombie to a process 1
    // that waits for nobody.
    killQuietly(leaf);
    setTimeout(killChild, policy.cellEndMs.default).unref();
  }

  #onClose(isGrouped: boolean, onEnd: (error: Error) => void): void {
    const child = this.#child;
    let closePipes: NodeJS.Timeout | undefined;
    // Not on exit: the last words of the process are still in the pipe then.
    child.on('close', (code, signal) => {
      clearTimeout(closePipes);
      onEnd(new Error(`ended with ${signal ?? code}`));
    });
    child.on('exit', () => {
      if (isGrouped && child.pid !== undefined) killQuietly(-child.pid);
      // A cell that was ended while its walls went up may leave a process behind that keeps the pipes open for ever.
      closePipes = setTimeout(() => {
        for (const pipe of child.stdio) pipe?.destroy();
      }, policy.cellEndMs.default);
    });
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
