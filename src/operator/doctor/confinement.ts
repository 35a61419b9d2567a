import { existsSync, readFileSync } from 'node:fs';

/** The layers of the sandbox that are made of user namespaces. */
export const layersOfNamespaces: readonly string[] = [
  'user-namespace',
  'pid-namespace',
  'network-namespace',
  'minimal-file-system',
  'seccomp',
];

/** What surrounds this process, as far as it decides about the layers of the sandbox. */
export interface Confinement {
  /** The kind of container that the process runs in; `null` outside one. */
  container: 'kubernetes' | 'docker' | 'podman' | 'other' | null;
  /**
   * Why no user namespace can be made here, and what would allow it; `null` if nothing is seen that forbids it.
   */
  forbids: string | null;
}

/** How to look at the machine: a file's text, `null` if it cannot be read. */
export interface Machine {
  read(path: string): string | null;
  environment: Readonly<Record<string, string | undefined>>;
}

const thisMachine: Machine = {
  read(path) {
    try {
      return existsSync(path) ? readFileSync(path, 'utf8') : null;
    } catch {
      return null;
    }
  },
  environment: process.env,
};

/**
 * Tells a container from a machine, and names what forbids user namespaces: the container's system call filter, its
 * AppArmor profile, or the kernel of the machine. Never throws.
 */
export function confinementOf(machine: Machine = thisMachine): Confinement {
  const container = containerOf(machine);
  return { container, forbids: byKernel(machine) ?? (container === null ? null : byContainer(container, machine)) };
}

function containerOf({ read, environment }: Machine): Confinement['container'] {
  if (environment.KUBERNETES_SERVICE_HOST !== undefined) return 'kubernetes';
  if (read('/.dockerenv') !== null) return 'docker';
  if (read('/run/.containerenv') !== null) return 'podman';
  const groups = read('/proc/1/cgroup') ?? '';
  return environment.container !== undefined || /docker|containerd|kubepods|libpod|lxc/.test(groups) ? 'other' : null;
}

function byKernel({ read }: Machine): string | null {
  const number = (path: string) => {
    const text = read(path)?.trim();
    return text === undefined || text === '' ? null : Number(text);
  };
  if (number('/proc/sys/user/max_user_namespaces') === 0)
    return 'the kernel of the machine forbids user namespaces (sysctl user.max_user_namespaces=0)';
  if (number('/proc/sys/kernel/unprivileged_userns_clone') === 0)
    return 'the kernel of the machine forbids them to users other than root (sysctl kernel.unprivileged_userns_clone=0)';
  if (number('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === 1)
    return 'AppArmor of the machine restricts them (sysctl kernel.apparmor_restrict_unprivileged_userns=1)';
  return null;
}

function byContainer(container: NonNullable<Confinement['container']>, { read }: Machine): string | null {
  const options = {
    docker: ['--security-opt seccomp=unconfined', '--security-opt apparmor=unconfined'],
    podman: ['--security-opt seccomp=unconfined', '--security-opt apparmor=unconfined'],
    kubernetes: ['seccompProfile.type: Unconfined', 'appArmorProfile.type: Unconfined'],
    other: ['no filter', 'no profile'],
  }[container];
  const isFiltered = /^Seccomp:\s+2$/m.test(read('/proc/self/status') ?? '');
  const profile = read('/proc/self/attr/current')?.replaceAll('\0', '').trim() ?? '';
  const isProfiled = profile !== '' && profile !== 'unconfined';
  const causes = [
    ...(isFiltered ? [`its system call filter (${options[0]} lifts it)`] : []),
    ...(isProfiled ? [`its AppArmor profile (${options[1]} lifts it)`] : []),
  ];
  return causes.length === 0 ? null : `the container forbids them by ${causes.join(' and ')}`;
}
