/** Runs HAProxy with cli/deploy/haproxy.cfg in front of test servers. */
import { join } from "node:path";
import { programEnvironment, temporaryFolder, until } from "../harness.ts";
import type { ReverseProxyOptions } from "./nginx.ts";

export const hasHaproxy = Bun.which("haproxy") !== null;

/** The configuration without TLS: besides hosts and ports, the only change. */
export const haproxyConfiguration = async ({ port, upstreams }: ReverseProxyOptions): Promise<string> =>
  (await Bun.file(join(import.meta.dir, "../../../cli/deploy/haproxy.cfg")).text())
    .replace(/^ *bind :80\n/m, "")
    .replace(/^ *http-request redirect .*\n/m, "")
    .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
    .replace(/server svc1 \S+ (.*)/, (_, options) =>
      upstreams.map((upstream, index) => `server svc${index + 1} ${upstream} ${options}`).join("\n    "),
    );

export async function startHaproxy(options: ReverseProxyOptions): Promise<AsyncDisposable> {
  const folder = await temporaryFolder();
  const path = join(folder.path, "haproxy.cfg");
  await Bun.write(path, await haproxyConfiguration(options));
  const env = programEnvironment();
  const child = Bun.spawn(["haproxy", "-db", "-f", path], { env, stdio: ["ignore", "ignore", "ignore"] });
  await until(
    () =>
      fetch(`http://127.0.0.1:${options.port}/healthz`)
        .then((answer) => answer.ok)
        .catch(() => false),
    "HAProxy answers",
  );
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      await folder.close();
    },
  };
}
