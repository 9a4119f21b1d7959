/**
 * The packages of a release with the real executable, each installed and run as its user would. With `--full`
 * they are also packed as they are published, which takes several minutes, and measured.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { version } from "../../src/core/version.ts";
import { until } from "../support/conditions.ts";
import { closable, must, temporaryFolder } from "../support/harness.ts";
import { unpackImage } from "../support/release/image.ts";
import {
  canCopyMachine,
  draftRelease,
  emptyHome,
  inCopyOfMachine,
  release,
  run,
} from "../support/release/packages.ts";
import { scale } from "./promises.ts";

const executable = process.env.SVC_TEST_BINARY ?? "";
let folder = "";
beforeAll(async () => {
  folder = await draftRelease(executable);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Starts a server that prints its URL. @returns its output and URL, when it is ready */
async function startServing(command: string[], options: { cwd?: string; env: Record<string, string> }) {
  // A group of its own, which gets signals as from a terminal: npm does not pass them on.
  const child = Bun.spawn(command, { ...options, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += piece;
    if (/running at \S+\s/.test(output)) break;
  }
  const port = must(/running at \S+:(\d+)/.exec(output)?.[1]);
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
  return {
    status: ready.status,
    output,
    /** Whether the server still answers. */
    answers: () =>
      fetch(ready.url).then(
        () => true,
        () => false,
      ),
    stop: async () => {
      process.kill(-child.pid, "SIGTERM");
      return child.exited;
    },
    ...closable(async () => child.kill("SIGKILL")),
  };
}

/** Speaks to an MCP server over standard input and output. @returns its name and version */
async function handshake(command: string[], options: { cwd: string; env: Record<string, string> }) {
  const request = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  };
  const input = new Blob([`${JSON.stringify(request)}\n`]);
  const child = Bun.spawn(command, { ...options, stdio: [input, "pipe", "ignore"] });
  const answer = await new Response(child.stdout).text();
  return JSON.parse(must(answer.split("\n")[0])).result.serverInfo;
}

test("npx starts a server and an MCP server from the tarballs, in an empty home with Node alone", async () => {
  await using home = await temporaryFolder();
  const tarballs = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  const packages = tarballs.flatMap((name) => ["-p", join(folder, name)]);
  const npx = ["npx", "--yes", "--offline", ...packages, "svc"];
  const options = { cwd: home.path, env: emptyHome(home.path) };
  const started = performance.now();
  await using server = await startServing([...npx, "serve", "--port", "0"], options);
  process.stdout.write(`from npx to a server: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  expect(server.status).toBe(200);
  expect(server.output).toContain(`agents: ${join(home.path, ".local/share/svc/bin/svc")} backfill\n`);
  await server.stop();
  await until(async () => !(await server.answers()), "svc ends");
  expect(await handshake([...npx, "mcp"], options)).toMatchObject({ name: "svc", version });
});

test("install.sh and the MCP bundle start the executable", async () => {
  await using home = await temporaryFolder();
  const options = { cwd: home.path, env: emptyHome(home.path) };
  const dir = join(home.path, "bin");
  expect((await run(["sh", join(folder, "install.sh"), "--dir", dir], options)).code).toBe(0);
  expect((await run([join(dir, "svc"), "--version"], options)).output).toStartWith(version);
  const bundle = must((await readdir(folder)).find((name) => name.endsWith(".mcpb")));
  await run(["unzip", "-q", join(folder, bundle), "-d", join(home.path, "bundle")]);
  const command = ["node", join(home.path, "bundle/server/svc.cjs"), "mcp", "--data-dir", home.path];
  expect(await handshake(command, options)).toMatchObject({ name: "svc", version });
});

test.if(canCopyMachine)("the .deb serves as its user, with its settings", async () => {
  const { output, code } = await inCopyOfMachine(
    folder,
    `dpkg -i /packages/*.deb >/dev/null
    install -d -o svc -g svc -m 750 /var/lib/svc
    cd /var/lib/svc
    setpriv --reuid svc --regid svc --clear-groups env -i PATH=/usr/bin HOME=/var/lib/svc sh -c \\
      'set -a; . /etc/svc/svc.env; exec svc serve --port 0' >/tmp/svc.out 2>/dev/null &
    until grep -q 'running at' /tmp/svc.out; do sleep 0.2; done
    url=$(grep -o 'http://[0-9.:]*' /tmp/svc.out | head -n 1)
    curl -fsS "$url/readyz"; echo
    kill $!; wait $! && stat -c '%U %n' /var/lib/svc/svc.db`,
  );
  expect([code, output]).toEqual([0, expect.stringMatching(/"ok".*\nsvc \/var\/lib\/svc\/svc\.db\n$/s)]);
});

test.if(canCopyMachine)("the image serves from its own files alone", async () => {
  await using place = await temporaryFolder();
  const root = join(place.path, "root");
  await mkdir(root);
  const { config } = await unpackImage(folder, root);
  const env = Object.fromEntries(config.Env.map((one) => one.split("=") as [string, string]));
  // What every container engine mounts: the runtime aborts without a source of random numbers.
  for (const name of ["dev", "proc"]) await mkdir(join(root, name));
  const mounts = `mount --bind /dev ${root}/dev && mount -t proc proc ${root}/proc`;
  const script = `${mounts} && exec chroot --userspec ${config.User} ${root} /usr/bin/svc "$@"`;
  const shell = [must(Bun.which("unshare")), "--mount", must(Bun.which("sh")), "-c"];
  const command = [...shell, `PATH=/usr/sbin:/usr/bin:/bin; ${script}`, "sh", ...config.Cmd, "--port", "0"];
  await using server = await startServing(command, { env: { ...env, SVC_HOST: "127.0.0.1" } });
  expect(server.status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect((await run(["stat", "-c", "%u", join(root, "data/svc.db")])).output).toBe("1000\n");
});

test.if(scale === "full")("no package is larger than 48 MB", async () => {
  await using place = await temporaryFolder();
  const outdir = join(place.path, "release");
  expect((await release("--outdir", outdir)).code).toBe(0);
  const sizes = await Promise.all(
    (await readdir(outdir)).map(async (name) => ({ name, size: (await stat(join(outdir, name))).size })),
  );
  expect(sizes.filter(({ size }) => size > 48e6)).toEqual([]);
});
