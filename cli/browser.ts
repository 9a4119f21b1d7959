/** Opens a URL in the user's browser. */

/**
 * The command that opens a URL: `$BROWSER`, which remote editors set to reach the browser of the user, else
 * the one of the desktop. Null without a desktop, or over SSH, where a browser would open on the wrong
 * machine.
 */
export function browserCommand(): string[] | null {
  const { BROWSER, SSH_CONNECTION, SSH_TTY, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (BROWSER?.trim()) return BROWSER.trim().split(/\s+/);
  if (SSH_CONNECTION || SSH_TTY) return null;
  if (process.platform === "darwin") return ["open"];
  const opener = Bun.which("wslview") ?? (DISPLAY || WAYLAND_DISPLAY ? Bun.which("xdg-open") : null);
  return opener === null ? null : [opener];
}

/** Starts the browser and does not wait for it. @returns false if there is none */
export function openInBrowser(url: string): boolean {
  const command = browserCommand();
  if (!command) return false;
  try {
    Bun.spawn([...command, url], { stdio: ["ignore", "ignore", "ignore"], detached: true }).unref();
    return true;
  } catch {
    return false; // $BROWSER names a program that does not exist
  }
}

/** True if standard output goes to the systemd journal, which other users may read. */
export const writesToJournal = (): boolean =>
  process.env.JOURNAL_STREAM !== undefined && !process.stdout.isTTY;
