/** System calls that a cell does not need, with their numbers; null if the architecture does not have the call. */
const denied: Record<string, readonly [x64: number, arm64: number | null]> = {
  socket: [41, 198],
  connect: [42, 203],
  accept: [43, 202],
  sendto: [44, 206],
  recvfrom: [45, 207],
  sendmsg: [46, 211],
  recvmsg: [47, 212],
  bind: [49, 200],
  listen: [50, 201],
  fork: [57, null],
  vfork: [58, null],
  kill: [62, 129],
  ptrace: [101, 117],
  syslog: [103, 116],
  mknod: [133, null],
  pivot_root: [155, 41],
  chroot: [161, 51],
  acct: [163, 89],
  mount: [165, 40],
  umount2: [166, 39],
  swapon: [167, 224],
  reboot: [169, 142],
  sethostname: [170, 161],
  iopl: [172, null],
  ioperm: [173, null],
  init_module: [175, 105],
  delete_module: [176, 106],
  quotactl: [179, 60],
  mbind: [237, 235],
  kexec_load: [246, 104],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  migrate_pages: [256, 238],
  mknodat: [259, 33],
  unshare: [272, 97],
  move_pages: [279, 239],
  accept4: [288, 242],
  perf_event_open: [298, 241],
  recvmmsg: [299, 243],
  fanotify_init: [300, 262],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  sendmmsg: [307, 269],
  setns: [308, 268],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  finit_module: [313, 273],
  memfd_create: [319, 279],
  kexec_file_load: [320, 294],
  bpf: [321, 280],
  execveat: [322, 281],
  userfaultfd: [323, 282],
  pidfd_send_signal: [424, 424],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  mount_setattr: [442, 442],
  memfd_secret: [447, 447],
};

const architectures = {
  x64: { audit: 0xc000_003e, column: 0, clone: 56, clone3: 435 },
  arm64: { audit: 0xc000_00b7, column: 1, clone: 220, clone3: 435 },
} as const;

const errno = { EPERM: 1, ENOSYS: 38 };
const verdict = { allow: 0x7fff_0000, killProcess: 0x8000_0000, fail: (number: number) => 0x0005_0000 | number };
/** Offsets in `struct seccomp_data`; both architectures are little-endian. */
const offset = { number: 0, architecture: 4, firstArgument: 16 };
const cloneThread = 0x0001_0000;
/** Numbers from here on belong to the x32 ABI, which has the same calls under other numbers. */
const x32Bit = 0x4000_0000;

/**
 * A seccomp filter (classic BPF, as the kernel and bubblewrap take it). It fails the calls that a cell does not need:
 * sockets, other processes, namespaces, modules, keys and the like. Threads can be started, processes cannot.
 * `undefined` for other architectures than x64 and arm64.
 */
export function seccompFilter(architecture: string): Buffer | undefined {
  if (!Object.hasOwn(architectures, architecture)) return undefined;
  const { audit, column, clone, clone3 } = architectures[architecture as keyof typeof architectures];
  const load = (at: number): Instruction => [0x20, 0, 0, at];
  const skipUnlessEqual = (value: number): Instruction => [0x15, 0, 1, value];
  const end = (value: number): Instruction => [0x06, 0, 0, value];
  const program: Instruction[] = [
    load(offset.architecture),
    [0x15, 1, 0, audit],
    end(verdict.killProcess),
    load(offset.number),
    ...(architecture === 'x64' ? [[0x35, 0, 1, x32Bit] as Instruction, end(verdict.fail(errno.EPERM))] : []),
    // A filter cannot read the flags of clone3. Told that there is none, libc uses clone.
    skipUnlessEqual(clone3),
    end(verdict.fail(errno.ENOSYS)),
    ...Object.values(denied).flatMap((numbers) => {
      const number = numbers[column];
      return number === null ? [] : [skipUnlessEqual(number), end(verdict.fail(errno.EPERM))];
    }),
    [0x15, 1, 0, clone],
    end(verdict.allow),
    load(offset.firstArgument),
    [0x45, 0, 1, cloneThread],
    end(verdict.allow),
    end(verdict.fail(errno.EPERM)),
  ];
  const filter = Buffer.alloc(program.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of program.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(whenTrue, index * 8 + 2);
    filter.writeUInt8(whenFalse, index * 8 + 3);
    filter.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return filter;
}

type Instruction = [code: number, whenTrue: number, whenFalse: number, value: number];
