"""The phrases from which ``make.py`` writes messages; {name} is a blank, to be filled with a word of that list."""

KINDS = {
    "ham": {
        "meeting": [
            "Are you free on {day} for {meal}?",
            "Can we move the {meeting} to {day} at {time}?",
            "I will be {minutes} minutes late, please start without me",
            "See you at {time} in front of the {place}",
            "Don't forget the {meeting} on {day}, {name} is coming too",
        ],
        "home": [
            "Could you get some {food} and {food} on the way home?",
            "Call me when you are home",
            "The {thing} is broken again, can you call someone?",
            "Dinner is in the oven, I am at the {place} with {name}",
            "Who has the key to the {thing}?",
        ],
        "family": [
            "Mum asks if you are coming on {day}",
            "{name} won a prize at the school fair, you should have seen her face",
            "Happy birthday {name}! Hope you have a great day",
            "Grandpa is out of hospital, call him if you have a minute",
            "The kids want to go to the {place} on {day}",
        ],
        "work": [
            "The report is in your inbox, please check the numbers before {day}",
            "{name} is ill today, can you take the {time} shift?",
            "The client wants an offer by {day}, have you got the prices?",
            "Thanks for the slides, the {meeting} went well",
            "My phone died, the number of the office is {digits}",
        ],
        "plans": [
            "I have two free tickets for the {show} on {day}, want to come?",
            "The {show} was great, you should see it",
            "We booked the cottage for the weekend, it was cheap",
            "Shall we take the {time} train or the bus?",
            "Let's go running before {meal} on {day}",
        ],
        "chat": [
            "Haha yes, exactly what {name} said",
            "Sorry, was asleep. What did I miss?",
            "How did the exam go?",
            "Look what I found: {link}",
            "This is my new number: {digits}. Delete the old one",
            "Have you seen the photos? {link}",
            "I miss you, it is so quiet here",
            "Did you watch the game last night? What a match",
            "No idea, ask {name}",
        ],
        "notice": [
            "Your appointment at the {place} is on {day} at {time}. Call {digits} to change it",
            "Your parcel arrives on {day} between {time} and {time}",
            "Your bank card is ready, you can collect it at the {place} from {day}",
            "Your book is due on {day}. The library",
            "Your code is ######, it ends at {time}",
            "{food} and {food} at half price on {day}, as you are a member. Your {place}",
            "Your order of {food} is ready, please collect it before {time}",
        ],
        "money": [
            "Can you lend me {amount} until {day}? Will pay you back",
            "I paid the {amount} for the {thing} into your account",
            "{name} won the {amount} in the office draw, unbelievable",
            "The rent is {amount} more from next month",
        ],
    },
    "spam": {
        "prize": [
            "You have won {amount}! Claim your prize now, call {digits}",
            "Your number was selected for a {prize}. Text WIN to {digits} to claim",
            "Congratulations! You are the winner of a {prize}. Reply YES before {day} to claim it",
            "Last chance to claim your free {prize}! Call {digits} today",
        ],
        "loan": [
            "Need {amount} today? Cheap loans, no questions, call {digits}",
            "Your loan of {amount} is approved. Reply YES to get the money today",
            "Pay off all your debts, free advice on {digits}",
        ],
        "offer": [
            "Only today: {food} at half price, show this message at the {place}",
            "Free {prize} with every new contract, offer ends {day}. Reply STOP to end",
            "Cheap tickets for the {show}, up to half price, order now on {digits}",
            "New ringtones and games every week, first one free, text GO to {digits}",
        ],
        "parcel": [
            "Your parcel could not be delivered. Pay {amount} at {link} to get it on {day}",
            "A parcel is waiting for you, confirm your address at {link}",
            "Your parcel arrives on {day}. Choose the time at {link}",
        ],
        "bank": [
            "Your account is locked. Confirm your card at {link} before {time}",
            "Your bank card was used for {amount}. Not you? Call {digits} now",
            "Your code is ######. Not you? Confirm your account at {link}",
        ],
        "friend": [
            "Hi it's {name}, my phone died, this is my new number. Can you send me {amount}?",
            "It was great to meet you at the {show}, here are the photos {link}",
            "Someone who likes you wants to meet you on {day}, find out who, call {digits}",
            "Hi {name}, are you free on {day}? I earn {amount} a week from home, ask me how",
        ],
    },
}
BAITS = [
    "Look here {link}",
    "Call me on {digits}",
    "I can lend you {amount}",
    "More at {link}",
    "Reply YES and I tell you more",
    "My new number is {digits}",
]
"""What a spam message that begins as a message of a friend goes on with."""
COMMENTS = ["Is this real?", "Got this again, don't answer it", "lol, another one", "Have you got this one too?"]
"""What is said of spam that is quoted."""
OPENINGS = {
    "ham": ["Hi {name},", "Hey,", "Hello {name}!", "Ok.", "Good morning,", "Sorry,", "{name},", "Quick question."],
    "spam": ["Hi,", "Dear customer,", "URGENT!", "Hello {name}!", "WINNER!", "Good news!", "Final notice."],
}
CLOSINGS = {
    "ham": ["Thanks!", "See you", "x", "Let me know", "Love, {name}", "ok?", "Talk later", "Have a nice day"],
    "spam": ["Reply STOP to end", "Terms apply", "Have a nice day", "18+", "Thanks!", "Act now!", "Let me know", "ok?"],
}
WORDS = {
    "amount": ["#0", "1#", "50 euros", "##0", "150", "500 euros", "750", "1000", "#000 euros", "5000"],
    "day": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "the 3rd", "the 12th"],
    "digits": ["0##########", "0##########", "0## ### ####", "6####"],
    "food": ["milk", "bread", "pizza", "apples", "coffee", "cheese", "noodles", "cake", "tea", "onions", "salad"],
    "link": [
        "www.photos.example/##",
        "www.parcel.example/####",
        "http://bank.example",
        "www.win.example/##",
        "t##.example",
    ],
    "meal": ["lunch", "dinner", "breakfast", "coffee", "a drink"],
    "meeting": ["meeting", "rehearsal", "training", "call with the client", "lesson", "interview"],
    "minutes": ["five", "ten", "15", "20", "a few"],
    "name": ["Kate", "Tom", "Ana", "Ben", "Mia", "Jonas", "Priya", "Omar", "Lucy", "Sam", "Nina", "Dad"],
    "place": ["station", "gym", "cinema", "library", "market", "pool", "dentist", "bakery", "clinic", "bus stop"],
    "prize": ["phone", "holiday", "camera", "weekend in Paris", "gift card", "tablet", "cruise", "new car"],
    "show": ["concert", "match", "play", "film", "circus", "exhibition", "festival"],
    "thing": ["car", "washing machine", "garage", "heating", "bike", "shed", "computer", "letter box"],
    "time": ["8", "9.30", "noon", "1#.##", "quarter past 3", "5", "6.15", "#.45", "half past 8"],
}
SHORT = {
    "you": "u", "your": "ur", "are": "r", "for": "4", "to": "2", "please": "pls", "and": "&",
    "thanks!": "thx", "see": "c", "before": "b4", "be": "b", "great": "gr8", "text": "txt", "message": "msg",
}  # fmt: skip
"""Abbreviations of messages that are written in haste."""
