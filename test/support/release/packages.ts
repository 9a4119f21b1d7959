/** The packages of a release, made fast, and copies of this machine to install them in. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "../repository.ts";
import { mountable } from "../stores/small-disk.ts";

export interface Ran {
  code: number;
  output: string;
  errors: string;
}

export async function run(
  command: string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const child = Bun.spawn(command, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output, errors };
}

/** Runs `bun run release` with these words. */
export const release = (...words: string[]): Promise<Ran> =>
  run([process.execPath, join(repositoryRoot, "cli/release/release.ts"), ...words]);

/** Makes the packages of an executable in a folder of their own, compressed fast. */
export async function draftRelease(executable: string, ...words: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "svc-release-test-"));
  const { code, errors } = await release("--draft", "--executable", executable, "--outdir", folder, ...words);
  if (code !== 0) throw new Error(errors);
  return folder;
}

const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Copies of this machine need mounts. */
export const canCopyMachine = mountable && Bun.which("unshare") !== null && Bun.which("dpkg") !== null;

/** Runs a shell script in a copy of this machine, of which nothing is left: `/packages` is a folder. */
export async function inCopyOfMachine(packages: string, script: string): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), "svc-machine-"));
  const [upper, work, root] = ["upper", "work", "root"].map((name) => join(folder, name));
  try {
    for (const path of [`${upper}/packages`, work, root]) await mkdir(`${path}`, { recursive: true });
    const mounts = [
      `mount -t overlay overlay -o lowerdir=/,upperdir=${upper},workdir=${work} ${root}`,
      `mount --bind ${packages} ${root}/packages`,
      `mount --bind /dev ${root}/dev && mount -t proc proc ${root}/proc`,
    ];
    return await run([
      "unshare",
      "--mount",
      "sh",
      "-ec",
      `${mounts.join("\n")}\nexec chroot ${root} /usr/bin/env -i PATH=${systemPath} sh -ec "$1"`,
      "sh",
      script,
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The environment of a person with nothing but the tools of the system. */
export const emptyHome = (home: string): Record<string, string> => ({
  PATH: systemPath,
  HOME: home,
});
