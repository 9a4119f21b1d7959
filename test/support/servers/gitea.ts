/** Builds Gitea from its Go module, and runs it. */
import { cp, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { programUser, sourceRoot, temporaryFolder, until } from "../harness.ts";
import { freePort } from "./proxy.ts";

export const giteaVersion = "v1.26.0";

/** A build takes six minutes of CPU, so it stays beside the packages. */
const place = join(sourceRoot, "node_modules/.cache", `gitea-${giteaVersion}`);

async function run(command: string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", ...options });
  const [output, errors] = await Promise.all(
    [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
  );
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${errors?.slice(-2000)}`);
  return output ?? "";
}

/** The folder with its source and program, or why it cannot be had. */
export async function buildGitea(): Promise<{ folder: string } | { missing: string }> {
  for (const name of ["go", "git", "gcc"])
    if (!Bun.which(name)) return { missing: `${name} is not installed` };
  if (await Bun.file(join(place, "gitea")).exists()) return { folder: place };
  const download = ["go", "mod", "download", "-json", `code.gitea.io/gitea@${giteaVersion}`];
  let source: string;
  try {
    source = JSON.parse(await run(download, { cwd: "/" })).Dir;
  } catch (error) {
    return { missing: `its module cannot be downloaded: ${(error as Error).message}` };
  }
  const folder = `${place}-new`;
  await mkdir(folder, { recursive: true });
  await cp(source, folder, { recursive: true, force: true });
  await run(["chmod", "-R", "u+w", folder]);
  await run(["go", "build", "-tags", "sqlite sqlite_unlock_notify", "-o", "gitea", "."], { cwd: folder });
  await rename(folder, place);
  return { folder: place };
}

export interface Gitea extends AsyncDisposable {
  origin: string;
  /** Adds a user. @returns their access token */
  addUser(name: string): Promise<string>;
  /** Calls the API. */
  call<T>(token: string, method: string, path: string, body?: object): Promise<T>;
}

export async function startGitea(source: string): Promise<Gitea> {
  const folder = await temporaryFolder();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const config = join(folder.path, "app.ini");
  await Bun.write(
    config,
    `RUN_USER = ${programUser}
WORK_PATH = ${folder.path}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = ${origin}/
STATIC_ROOT_PATH = ${source}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
[security]
INSTALL_LOCK = true
[webhook]
ALLOWED_HOST_LIST = loopback
[log]
LEVEL = Error
`,
  );
  const program = [join(source, "gitea"), "--config", config, "--work-path", folder.path];
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder.path,
    USER: programUser,
    GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT: "true",
  };
  const child = Bun.spawn([...program, "web"], { env, stdio: ["ignore", "ignore", "ignore"] });
  await until(
    () =>
      fetch(`${origin}/api/v1/version`)
        .then(({ ok }) => ok)
        .catch(() => false),
    "Gitea answers",
  );
  return {
    origin,
    async addUser(name) {
      const user = ["--username", name, "--password", "a long password", "--email", `${name}@example.com`];
      const rest = ["--must-change-password=false", "--access-token", "--access-token-scopes", "all"];
      const output = await run([...program, "admin", "user", "create", ...user, ...rest], { env });
      return /[0-9a-f]{40}/.exec(output)?.[0] ?? "";
    },
    async call(token, method, path, body) {
      const headers = { authorization: `token ${token}`, "content-type": "application/json" };
      const response = await fetch(`${origin}/api/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      return text === "" ? undefined : JSON.parse(text);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
      await folder.close();
    },
  };
}
