/** The kinds of environment variables: how each is parsed and described. */

/** Parses the text of a variable; undefined if the value is not allowed. */
type Parse<T> = (text: string) => T | undefined;

export interface Variable<T> {
  defaultValue: string;
  meaning: string;
  allowed: string;
  parse: Parse<T>;
}

export const variable = <T>(
  defaultValue: string,
  meaning: string,
  allowed: string,
  parse: Parse<T>,
): Variable<T> => ({ defaultValue, meaning, allowed, parse });

export const text = (defaultValue: string, meaning: string, allowed = "text") =>
  variable(defaultValue, meaning, allowed, (value) => value);

/** Secrets of webhooks: several, as some senders create one for each webhook, and for a rotation. */
export const secrets = (meaning: string) =>
  variable("", `${meaning}, comma-separated. Without one, webhooks get a 501.`, "secrets", (value) =>
    value
      .split(",")
      .map((secret) => secret.trim())
      .filter(Boolean),
  );

export const flag = (defaultValue: "0" | "1" | "", meaning: string) =>
  variable(defaultValue, meaning, "0 or 1", (value) => ({ "0": false, "1": true, "": null })[value]);

export const integer = (defaultValue: number, min: number, max: number, meaning: string) =>
  variable(String(defaultValue), meaning, `a whole number from ${min} to ${max}`, (value) =>
    /^\d{1,16}$/.test(value) && Number(value) >= min && Number(value) <= max ? Number(value) : undefined,
  );

export const list = (defaultValue: string, meaning: string, allowed: string, shape: RegExp) =>
  variable(defaultValue, meaning, allowed, (value) => {
    const items = value
      .split(",")
      .map((item) => item.trim())
      .filter(Boolean);
    return items.every((item) => shape.test(item)) ? items : undefined;
  });

/** An http or https URL without query and fragment. Trailing slashes are removed. */
export const url = (defaultValue: string, meaning: string) =>
  variable(defaultValue, meaning, "an http or https URL without a query", (value) => {
    if (value === "") return "";
    const parsed = URL.parse(value);
    return parsed && /^https?:$/.test(parsed.protocol) && !parsed.search && !parsed.hash
      ? value.replace(/\/+$/, "")
      : undefined;
  });
