/** Runs Caddy with cli/deploy/Caddyfile in front of test servers. */
import { join } from "node:path";
import { programEnvironment, temporaryFolder, until } from "../harness.ts";
import type { ReverseProxyOptions } from "./nginx.ts";

export const hasCaddy = Bun.which("caddy") !== null;

export async function startCaddy({ port, upstreams }: ReverseProxyOptions): Promise<AsyncDisposable> {
  const folder = await temporaryFolder();
  const site = (await Bun.file(join(import.meta.dir, "../../../cli/deploy/Caddyfile")).text())
    .replace(/^svc\.example\.com {$/m, `http://127.0.0.1:${port} {`)
    .replace("127.0.0.1:8787", upstreams.join(" "));
  const path = join(folder.path, "Caddyfile");
  await Bun.write(path, `{\n\tadmin off\n}\n${site}`);
  const env = { ...programEnvironment(), HOME: folder.path };
  const child = Bun.spawn(["caddy", "run", "--config", path], { env, stdio: ["ignore", "ignore", "ignore"] });
  await until(
    () =>
      fetch(`http://127.0.0.1:${port}/healthz`)
        .then((answer) => answer.ok)
        .catch(() => false),
    "Caddy answers",
  );
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      await folder.close();
    },
  };
}
