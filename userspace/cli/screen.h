/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The terminal as a screen, through ncurses. */
#ifndef FRESHLINK_SCREEN_H
#define FRESHLINK_SCREEN_H

#include <stdbool.h>

#define SCREEN_NO_KEY	(-1)	/* no key was pressed, or the size has changed */

/** screen_open - take over the terminal; returns whether it can be a screen */
bool screen_open(void);

/** screen_close - give the terminal back */
void screen_close(void);

/** screen_begin - continue after a screen_close() */
void screen_begin(void);

/**
 * screen_show - show lines
 * @title: the first line
 * @text: the lines below it, each with a newline. Lines that do not fit are cut or left out
 */
void screen_show(const char *title, const char *text);

/** screen_rows - number of lines of the terminal */
int screen_rows(void);

/** screen_key - take a key without waiting; returns the key or SCREEN_NO_KEY */
int screen_key(void);

#endif
