/** nginx with cli/deploy/nginx.conf. */
import { join } from "node:path";
import { deployFile, type ReverseProxyOptions, startReverseProxy } from "./reverse-proxy.ts";

export const hasNginx = Bun.which("nginx") !== null && Bun.which("openssl") !== null;

export const startNginx = (options: ReverseProxyOptions): Promise<AsyncDisposable> =>
  startReverseProxy(
    options,
    async (folder) => {
      await writeCertificate(folder);
      const configuration = await nginxConfiguration(folder, options);
      return ["nginx", "-p", folder, "-c", configuration, "-g", "daemon off;"];
    },
    "SIGTERM",
  );

/** Writes an nginx configuration that includes the site of cli/deploy. @returns its path */
export async function nginxConfiguration(
  folder: string,
  { port, upstreams }: ReverseProxyOptions,
): Promise<string> {
  const site = (await deployFile("nginx.conf"))
    .replace(/server 127\.0\.0\.1:8787 (.*);/, (_, options) =>
      upstreams.map((upstream) => `server ${upstream} ${options};`).join("\n"),
    )
    .replace("listen 80;", `listen unix:${join(folder, "redirect.sock")};`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replaceAll("/etc/ssl/svc.example.com", join(folder, "site"));
  await Bun.write(join(folder, "site.conf"), site);
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const main = [
    // By default its workers run as a user who cannot read root's folders.
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

/** Writes a self-signed certificate for a name, `site.key` and `site.pem`, that is valid for a day. */
export async function writeCertificate(folder: string, name = "test"): Promise<void> {
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
    `/CN=${name}`,
    "-addext",
    `subjectAltName=DNS:${name}`,
  ];
  const child = Bun.spawn(["openssl", ...words, "-keyout", key, "-out", certificate], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  if ((await child.exited) !== 0) throw new Error("openssl failed to create a certificate");
}
