/** A style sheet, as text: what the bundler makes of it in a script that is loaded late. */
declare module "*.css" {
  const rules: string;
  export default rules;
}
