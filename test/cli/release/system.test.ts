/** The packages of Linux distributions and the image, each installed or run in a copy of this machine. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../support/harness.ts";
import { unpackImage } from "../../support/release/image.ts";
import { canCopyMachine, draftRelease, inCopyOfMachine, run } from "../../support/release/packages.ts";

let folder = "";
beforeAll(async () => {
  folder = await draftRelease("/bin/echo");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const lines = (text: string): string[] => text.trimEnd().split("\n");

test.if(canCopyMachine)("dpkg installs and removes the package; purging it leaves the data", async () => {
  const installed = await inCopyOfMachine(
    folder,
    `dpkg -i /packages/*.deb >/dev/null
    svc hello
    stat -c '%a %U %G %n' /etc/svc/svc.env
    getent passwd svc | cut -d: -f 6-7
    grep -h -e ^ExecStart -e ^EnvironmentFile /usr/lib/systemd/system/svc.service
    dpkg -V svc
    echo SVC_RATE_LIMIT=off >>/etc/svc/svc.env
    dpkg -i /packages/*.deb >/dev/null; tail -n 1 /etc/svc/svc.env
    mkdir /var/lib/svc
    dpkg -r svc >/dev/null; ls /etc/svc
    dpkg -P svc | tail -n 1; test ! -e /etc/svc; getent passwd svc | cut -d: -f 1`,
  );
  expect(installed).toMatchObject({ code: 0, errors: "" });
  expect(lines(installed.output)).toEqual([
    "hello",
    "640 root svc /etc/svc/svc.env",
    "/var/lib/svc:/usr/sbin/nologin",
    "ExecStart=/usr/bin/svc serve",
    "EnvironmentFile=-/etc/svc/svc.env",
    "SVC_RATE_LIMIT=off",
    "svc.env",
    "The data stays in /var/lib/svc. To delete it: rm -r /var/lib/svc",
    "svc",
  ]);
});

test.if(canCopyMachine)("purging the package without data removes its user, and leaves no file", async () => {
  const script = `dpkg -i /packages/*.deb >/dev/null
    paths=$(dpkg -L svc | grep svc)
    dpkg -P svc >/dev/null
    ls -d $paths 2>/dev/null || getent passwd svc || echo gone`;
  expect(await inCopyOfMachine(folder, script)).toEqual({ code: 0, output: "gone\n", errors: "" });
});

test.if(Bun.which("rpm") !== null)("rpm reads the package, and finds its digests right", async () => {
  const [name = ""] = (await readdir(folder)).filter((name) => name.endsWith(".rpm"));
  const path = join(folder, name);
  expect((await run(["rpm", "-K", path])).output).toEndWith("digests OK\n");
  expect((await run(["rpm", "-qp", "--requires", path])).output).toContain("libc.so.6()(64bit)\n");
  await using place = await temporaryFolder();
  const damaged = await Bun.file(path).bytes();
  damaged.fill(0, damaged.length - 100, damaged.length - 90);
  await Bun.write(join(place.path, name), damaged);
  expect((await run(["rpm", "-K", join(place.path, name)])).code).not.toBe(0);
});

test.if(canCopyMachine && Bun.which("rpm") !== null)("rpm installs and erases it", async () => {
  const { output, code } = await inCopyOfMachine(
    folder,
    `rpm -i --nodeps /packages/*.rpm 2>/dev/null
    svc hello
    stat -c '%a %U %G %n' /etc/svc/svc.env
    rpm -V --nodeps svc
    mkdir /var/lib/svc
    rpm -e svc 2>/dev/null; test ! -e /etc/svc; test ! -e /usr/bin/svc; getent passwd svc | cut -d: -f 1`,
  );
  expect([code, lines(output)]).toEqual([
    0,
    [
      "svc is installed. Start it: systemctl enable --now svc",
      "hello",
      "640 root svc /etc/svc/svc.env",
      "The data stays in /var/lib/svc. To delete it: rm -r /var/lib/svc",
      "svc",
    ],
  ]);
});

test.if(canCopyMachine)("the image has what its executable needs, and runs as its own user", async () => {
  await using place = await temporaryFolder();
  const root = join(place.path, "root");
  await mkdir(root);
  const { config, platform } = await unpackImage(folder, root);
  expect(platform).toEqual({ architecture: process.arch === "x64" ? "amd64" : "arm64", os: "linux" });
  expect(config).toMatchObject({ User: "1000:1000", Cmd: ["serve"], StopSignal: "SIGTERM" });
  const command = ["chroot", "--userspec", config.User, root, `/usr/bin/${config.Entrypoint[0]}`];
  expect(await run([...command, ...config.Cmd])).toEqual({ code: 0, output: "serve\n", errors: "" });
  expect((await run(["stat", "-c", "%u %a", join(root, "data")])).output).toBe("1000 755\n");
  const folders = (await readdir(root)).filter((name) => !name.startsWith("lib"));
  expect(folders.toSorted()).toEqual(["data", "etc", "tmp", "usr"]);
});
