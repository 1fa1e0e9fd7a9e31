// SPDX-License-Identifier: GPL-2.0-or-later
/* The terminal as a screen: see screen.h. */
#include <curses.h>
#include <string.h>

#include "screen.h"

#define ESCAPE_MS	25	/* time in which the rest of the bytes of a function key arrive */

bool screen_open(void)
{
	/* initscr() would end the process */
	if (!newterm(NULL, stdout, stdin))
		return false;
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return true;
}

void screen_close(void)
{
	endwin();
}

void screen_begin(void)
{
	refresh();
}

/* The texts are printable ASCII, so each byte is a column. */
static void show_line(int row, const char *text, size_t len, attr_t look)
{
	if (row >= LINES)
		return;
	attron(look);
	mvaddnstr(row, 0, text, len < (size_t)COLS ? (int)len : COLS);
	attroff(look);
}

/* The heads of tables begin with the same word. */
static attr_t look_of(const char *line)
{
	return strncmp(line, "DEVICE ", 7) ? A_NORMAL : A_REVERSE;
}

void screen_show(const char *title, const char *text)
{
	erase();
	show_line(0, title, strlen(title), A_BOLD);
	for (int row = 1; *text; row++) {
		size_t len = strcspn(text, "\n");

		show_line(row, text, len, look_of(text));
		text += len + (text[len] == '\n');
	}
	refresh();
}

int screen_rows(void)
{
	return LINES;
}

int screen_key(void)
{
	int key = getch();

	if (key == ERR || key == KEY_RESIZE)
		return SCREEN_NO_KEY;
	return key == KEY_BACKSPACE ? '\b' : key == KEY_ENTER ? '\n' : key;
}
