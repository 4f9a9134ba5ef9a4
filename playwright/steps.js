// The steps of lessons by their names, so that a step put before another one changes no test.
import { readdirSync, readFileSync } from "node:fs";

const lessons = new URL("../web/lessons/", import.meta.url);

/**
 * The number of a lesson's step, from 1.
 *
 * @param {string} lesson
 * @param {string} slug of the step's title
 */
export function stepOf(lesson, slug) {
  const name = readdirSync(lessons).find((name) => name.replace(/^\d\d-/, "") === lesson + ".md");
  if (!name) throw new Error(`there is no lesson ${lesson}`);
  const titles = readFileSync(new URL(name, lessons), "utf8").matchAll(/^## (.*)$/gm);
  const slugs = [...titles].map(([, title]) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, ""));
  if (!slugs.includes(slug)) throw new Error(`${lesson} has no step ${slug}: ${slugs.join(", ")}`);
  return slugs.indexOf(slug) + 1;
}
