/** A file of the site's sources, as text. */
declare module "*.yaml" {
  const text: string;
  export default text;
}
