/** Apache with cli/deploy/apache.conf. */
import { dirname, join } from "node:path";
import { deployFile, type ReverseProxyOptions, startReverseProxy } from "./reverse-proxy.ts";

const program = Bun.which("apache2");
const modules = join(dirname(program ?? ""), "../lib/apache2/modules");
export const hasApache = program !== null;

export const startApache = (options: ReverseProxyOptions): Promise<AsyncDisposable> =>
  startReverseProxy(options, async (folder, { port, upstreams }) => {
    const site = (await deployFile("apache.conf"))
      .replace(/<VirtualHost \*:80>[\s\S]*?<\/VirtualHost>/, "")
      .replace("*:443", `127.0.0.1:${port}`)
      .replace(/^ *SSL.*\n/gm, "")
      .replace("127.0.0.1:8787", upstreams[0] ?? "");
    const names = ["mpm_event", "authz_core", "proxy", "proxy_http", "reqtimeout", "alias"];
    const main = [
      ...names.map((name) => `LoadModule ${name}_module ${join(modules, `mod_${name}.so`)}`),
      `ServerRoot ${folder}`,
      "ServerName localhost",
      `Listen 127.0.0.1:${port}`,
      `PidFile ${join(folder, "apache.pid")}`,
      "ErrorLog /dev/null",
      site,
    ];
    const path = join(folder, "apache.conf");
    await Bun.write(path, main.join("\n"));
    return ["apache2", "-X", "-f", path];
  });
