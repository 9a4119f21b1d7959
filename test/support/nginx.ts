/** nginx as cli/deploy/nginx.conf has it, before processes of a test. */
import { join } from "node:path";
import { programEnvironment, temporaryFolder, until } from "./harness.ts";

export const hasNginx = Bun.which("nginx") !== null && Bun.which("openssl") !== null;

export interface ReverseProxyOptions {
  /** Where it listens, without encryption: the one thing that a test changes, beside addresses. */
  port: number;
  upstreams: string[];
}

export async function startNginx({ port, upstreams }: ReverseProxyOptions): Promise<AsyncDisposable> {
  const folder = await temporaryFolder();
  await writeCertificate(folder.path);
  const configuration = await nginxConfiguration(folder.path, { port, upstreams });
  const command = ["nginx", "-p", folder.path, "-c", configuration, "-g", "daemon off;"];
  const child = Bun.spawn(command, { env: programEnvironment(), stdio: ["ignore", "ignore", "ignore"] });
  await until(() => fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null), "nginx answers");
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.exited;
      await folder.close();
    },
  };
}

/** The site of cli/deploy in a configuration of its own. @returns where it is */
export async function nginxConfiguration(
  folder: string,
  { port, upstreams }: ReverseProxyOptions,
): Promise<string> {
  const site = (await Bun.file(join(import.meta.dir, "../../cli/deploy/nginx.conf")).text())
    .replace(/server 127\.0\.0\.1:8787 (.*);/, (_, options) =>
      upstreams.map((one) => `server ${one} ${options};`).join("\n"),
    )
    .replace("listen 80;", `listen unix:${join(folder, "redirect.sock")};`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replaceAll("/etc/ssl/svc.example.com", join(folder, "site"));
  await Bun.write(join(folder, "site.conf"), site);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const main = [
    // Its workers would be somebody who may not look into a folder of root.
    ...(process.getuid?.() === 0 ? ["user root;"] : []),
    ...[`pid ${join(folder, "nginx.pid")};`, "error_log stderr crit;", "worker_processes 1;"],
    ...[
      "events { worker_connections 1024; }",
      "http {",
      "access_log off;",
      ...paths,
      `include ${join(folder, "site.conf")};`,
      "}",
    ],
  ];
  const path = join(folder, "nginx.conf");
  await Bun.write(path, main.join("\n"));
  return path;
}

/** Of a moment, for a site that is nobody's. */
export async function writeCertificate(folder: string): Promise<void> {
  const [key, certificate] = [join(folder, "site.key"), join(folder, "site.pem")];
  const words = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-days",
    "1",
    "-subj",
    "/CN=test",
  ];
  const child = Bun.spawn(["openssl", ...words, "-keyout", key, "-out", certificate], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  if ((await child.exited) !== 0) throw new Error("openssl made no certificate");
}
