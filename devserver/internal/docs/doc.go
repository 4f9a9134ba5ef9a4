// Package docs checks the project's Markdown pages: that their links lead to something that
// exists, that the numbers that they say are those of the code, and that the files and functions that
// .github/CONTRIBUTING.md names are there.
// Source files are checked for the length of their lines, and long ones for saying why they are.
//
// It has tests only. They read files and use no network: links to other sites are not followed.
package docs
