/** What `.deb` and `.rpm` install: the executable, its unit, its settings, its license, and its user. */
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

export interface SystemFile {
  /** Absolute. Folders have no content. */
  path: string;
  mode: number;
  content?: Uint8Array;
  /** The group that may read it; root owns every file. */
  group?: string;
  /** Settings, which an upgrade does not overwrite. */
  isConfig?: boolean;
}

export const serviceUser = "svc";
const settingsPath = "/etc/svc/svc.env";

const settings = `# Settings of svc. After a change: systemctl restart svc
# Every server lists them at /docs/configuration.
SVC_DATA_DIR=/var/lib/svc
#SVC_SITE_URL=https://svc.example.com
#SVC_TRUST_PROXY=1
`;

/** The unit of the documentation, for an executable in /usr/bin. */
async function unit(): Promise<string> {
  const text = await Bun.file(join(root, "cli/deploy/svc.service")).text();
  return text
    .replace("/etc/systemd/system/", "/usr/lib/systemd/system/")
    .replace("/usr/local/bin/", "/usr/bin/");
}

/** Folders stand before what is in them. */
export async function systemFiles(executable: Uint8Array): Promise<SystemFile[]> {
  const text = (content: string) => new TextEncoder().encode(content);
  const license = await Bun.file(join(root, "LICENSE")).text();
  const thirdParty = await Bun.file(join(root, "cli/build/third-party-licenses.md")).text();
  return [
    { path: "/usr/bin/svc", mode: 0o755, content: executable },
    { path: "/usr/lib/systemd/system/svc.service", mode: 0o644, content: text(await unit()) },
    { path: "/usr/share/doc/svc", mode: 0o755 },
    { path: "/usr/share/doc/svc/copyright", mode: 0o644, content: text(`${license}\n${thirdParty}`) },
    { path: "/etc/svc", mode: 0o755 },
    { path: settingsPath, mode: 0o640, group: serviceUser, isConfig: true, content: text(settings) },
  ];
}

/**
 * Scripts for both package managers. Their first argument tells what happens: a word of dpkg, or how many
 * versions RPM leaves installed.
 */
export const systemScripts = {
  /** Before files are unpacked: one of them belongs to the group. */
  beforeInstall: `set -e
getent group svc >/dev/null || groupadd --system svc
getent passwd svc >/dev/null || useradd --system --gid svc --home-dir /var/lib/svc --no-create-home \\
  --shell /usr/sbin/nologin svc
`,
  afterInstall: `set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl try-restart svc.service
fi
case "$1:$2" in
  1:|configure:) echo "svc is installed. Start it: systemctl enable --now svc" ;;
esac
`,
  beforeRemove: `set -e
case "$1" in
  0|remove) if [ -d /run/systemd/system ]; then systemctl disable --now svc.service || true; fi ;;
esac
`,
  /** The data stays: no reinstall brings it back. */
  afterRemove: `set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
case "$1" in
  0|purge)
    if [ -d /var/lib/svc ]; then echo "The data stays in /var/lib/svc. To delete it: rm -r /var/lib/svc"
    elif [ "$1" = purge ] && getent passwd svc | grep -q :/var/lib/svc:; then userdel svc; fi ;;
esac
`,
};
