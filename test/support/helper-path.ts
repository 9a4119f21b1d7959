/**
 * The helper programs of a test: none, unless it names them. The suite runs with a PATH without them, so that
 * a test passes alike on a bare server and on a laptop that has a browser and ffmpeg.
 */
import { mkdir, mkdtemp, readdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { findProgram, programs } from "../../src/files/probe/helper-programs.ts";

/** The PATH of the machine, with the helper programs that it has. */
const machinePath = process.env.SVC_TEST_MACHINE_PATH ?? process.env.PATH ?? "";

const executables = new Set<string>(Object.values(programs).flatMap(({ names }) => names));

/**
 * Returns the PATH of the machine without helper programs: a folder that holds one is replaced by a folder of
 * links to its other programs.
 * @param place the parent of the folders of links
 */
export async function pathWithoutHelpers(place: string): Promise<string> {
  const folders = machinePath.split(delimiter).map(async (folder, index) => {
    const names = await readdir(folder).catch(() => []);
    if (!names.some((name) => executables.has(name))) return folder;
    const links = join(place, `path-${index}`);
    await mkdir(links);
    const others = names.filter((name) => !executables.has(name));
    await Promise.all(others.map((name) => symlink(join(folder, name), join(links, name))));
    return links;
  });
  return (await Promise.all(folders)).join(delimiter);
}

/** Whether the machine has a helper program, for tests that need the real one. */
export const hasHelper = (name: keyof typeof programs): boolean => findProgram(name, machinePath) !== null;

/** Returns a folder that holds one helper program of the machine, and nothing else. */
export async function helperFolder(name: keyof typeof programs): Promise<string> {
  const program = findProgram(name, machinePath);
  if (!program) throw new Error(`this machine has no ${name}`);
  const folder = await mkdtemp(join(tmpdir(), "svc-helper-"));
  await symlink(program, join(folder, basename(program)));
  return folder;
}
