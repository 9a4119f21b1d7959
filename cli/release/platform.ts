/** The platforms of a release, with the name that each kind of package has for them. */
import { UsageError } from "../command-errors.ts";

export interface Platform {
  name: string;
  /** Names of Node and npm. */
  os: "linux" | "darwin";
  cpu: "x64" | "arm64";
  libc?: "glibc" | "musl";
}

const named = (name: string, libc?: "glibc" | "musl"): Platform => {
  const [os, cpu] = name.split("-") as [Platform["os"], Platform["cpu"]];
  return libc ? { name, os, cpu, libc } : { name, os, cpu };
};

export const platforms: readonly Platform[] = [
  named("linux-x64", "glibc"),
  named("linux-arm64", "glibc"),
  named("linux-x64-musl", "musl"),
  named("linux-arm64-musl", "musl"),
  named("darwin-x64"),
  named("darwin-arm64"),
];

/** Names of architectures in Debian (and OCI), RPM, and the number of RPM. */
export const architectures = {
  x64: { deb: "amd64", rpm: "x86_64", rpmNumber: 1 },
  arm64: { deb: "arm64", rpm: "aarch64", rpmNumber: 19 },
} as const;

/** @throws UsageError for a name that is no platform */
export function platformOf(name: string): Platform {
  const platform = platforms.find((one) => one.name === name);
  if (platform) return platform;
  const names = platforms.map((one) => one.name).join(", ");
  throw new UsageError(`There is no package for "${name}". Platforms: ${names}.`);
}

/** The name of the platform that this program runs on. */
export const ownPlatform = `${process.platform}-${process.arch}`;

/** Whether the packages of Linux distributions are made for it: their systems have glibc. */
export const isForDistributions = ({ libc }: Platform): boolean => libc === "glibc";
