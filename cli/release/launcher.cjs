#!/usr/bin/env node
/**
 * Starts svc. The package of this platform has the executable compressed, as npm's own compression would make
 * it half as large again: the first start unpacks it into a folder of the user, where hooks of agents find it.
 */
"use strict";
const { spawn } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const zlib = require("node:zlib");

const { name: launcherName, optionalDependencies = {} } = require("./package.json");

function fail(message) {
  process.stderr.write(`svc: ${message}\n`);
  process.exit(1);
}

function platformName() {
  const name = `${process.platform}-${process.arch}`;
  if (process.platform !== "linux") return name;
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime ? name : `${name}-musl`;
}

/** The folder with the compressed executable: of the npm package, or beside this file. */
function findPackage() {
  const name = platformName();
  const beside = path.join(__dirname, "executable");
  if (fs.existsSync(beside)) return beside;
  try {
    return path.dirname(require.resolve(`${launcherName}-${name}/package.json`));
  } catch {
    const isKnown = `${launcherName}-${name}` in optionalDependencies;
    return fail(
      isKnown
        ? `The package ${launcherName}-${name} is missing. Install again, with optional dependencies.`
        : `There is no package for ${name}. Build svc from its source instead.`,
    );
  }
}

const dataFolder = () => process.env.XDG_DATA_HOME || path.join(os.homedir(), ".local", "share");

/** Reverses `withAbsoluteCalls` of the release. */
function restoreCalls(code) {
  const size = code.length;
  for (let at = 0; at + 5 <= size; ) {
    if ((code[at] & 0xfe) !== 0xe8) {
      at++;
      continue;
    }
    const absolute = code.readInt32LE(at + 1);
    if (absolute >= -at && absolute < size)
      code.writeInt32LE(absolute >= 0 ? absolute - at : absolute + size, at + 1);
    at += 5;
  }
}

/** Replaces a file in one step, so that none is ever seen half-written. */
function replaceFile(file, content, mode) {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, content, { mode });
  fs.chmodSync(draft, mode);
  fs.renameSync(draft, file);
}

function unpack(source, { sha256, hasAbsoluteCalls }, executable, stamp) {
  const code = zlib.brotliDecompressSync(fs.readFileSync(path.join(source, "svc.br")));
  if (hasAbsoluteCalls) restoreCalls(code);
  if (createHash("sha256").update(code).digest("hex") !== sha256)
    fail("The package is damaged: its SHA-256 is another one. Install it again.");
  fs.mkdirSync(path.dirname(executable), { recursive: true, mode: 0o700 });
  replaceFile(executable, code, 0o755);
  replaceFile(stamp, sha256, 0o644);
}

function prepare() {
  const source = findPackage();
  const { executable: packed, version } = require(path.join(source, "package.json"));
  const executable = path.join(dataFolder(), "svc", "bin", "svc");
  const stamp = `${executable}.sha256`;
  try {
    const isUnpacked = fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === packed.sha256;
    if (isUnpacked && fs.statSync(executable).size === packed.size) return executable;
    process.stderr.write(`Unpacking svc ${version} to ${executable}, once.\n`);
    unpack(source, packed, executable, stamp);
  } catch (error) {
    fail(
      `Cannot unpack to ${executable}: ${error.message}. Set XDG_DATA_HOME to a folder that you can write.`,
    );
  }
  return executable;
}

const child = spawn(prepare(), process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(error.message));
// A terminal sends Ctrl+C to both processes.
process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  if (!signal) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
