/** Runs a reverse proxy with its file of cli/deploy in front of test servers. */
import { join } from "node:path";
import { programEnvironment, sourceRoot, temporaryFolder, until } from "../harness.ts";

export interface ReverseProxyOptions {
  /** Port to listen on, without TLS: besides hosts and ports, the only change to the configuration. */
  port: number;
  upstreams: string[];
}

/** The text of a file of cli/deploy. */
export const deployFile = (name: string): Promise<string> =>
  Bun.file(join(sourceRoot, "cli/deploy", name)).text();

/** Starts the command that `configure` returns after it has written the configuration to a folder. */
export async function startReverseProxy(
  { port, upstreams }: ReverseProxyOptions,
  configure: (folder: string, options: ReverseProxyOptions) => Promise<string[]>,
  signal: NodeJS.Signals = "SIGKILL",
): Promise<AsyncDisposable> {
  const folder = await temporaryFolder();
  const command = await configure(folder.path, { port, upstreams });
  const env = { ...programEnvironment(), HOME: folder.path };
  const child = Bun.spawn(command, { env, stdio: ["ignore", "ignore", "ignore"] });
  await until(
    () =>
      fetch(`http://127.0.0.1:${port}/healthz`)
        .then((answer) => answer.ok)
        .catch(() => false),
    `${command[0]} answers`,
  );
  return {
    async [Symbol.asyncDispose]() {
      child.kill(signal);
      await child.exited;
      await folder.close();
    },
  };
}
